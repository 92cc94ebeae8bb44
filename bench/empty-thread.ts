// A thread with nothing in it that stays until it is ended: what starting a thread costs by itself.

setInterval(() => {}, 60_000)
