// An agent thread that never does its task: it fills its heap to the limit and computes. For noisy-fork.ts.

export default function burn(): never {
  const held: number[][] = []
  let work = 0
  for (;;) {
    // Below the limit, so that it goes on for as long as it is let.
    if (held.length < 150) held.push(new Array(100_000).fill(held.length))
    for (let step = 0; step < 1_000_000; step += 1) work = (work + step * 31) % 1_000_003
    held[work % held.length] = new Array(100_000).fill(work)
  }
}
