// The least a thread can do with a message: give it back.

export default function echo(message: unknown): unknown {
  return message
}
