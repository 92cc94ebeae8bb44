import { expect, test } from 'vitest'
import { createTurns } from '../../src/turns.ts'

test('createTurns() gives as many turns at once as it may, then in the order of asking', async () => {
  const takeTurn = createTurns(2)
  const order: string[] = []
  const take = async (name: string): Promise<() => void> => {
    const giveBack = await takeTurn()
    order.push(name)
    return giveBack
  }
  const [first, second] = await Promise.all([take('a'), take('b')])
  const third = take('c')
  const fourth = take('d')
  await settle()
  expect(order).toEqual(['a', 'b'])
  second?.()
  await third
  expect(order).toEqual(['a', 'b', 'c'])
  first?.()
  await fourth
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('createTurns() counts a turn given back twice as one', async () => {
  const takeTurn = createTurns(1)
  const giveBack = await takeTurn()
  giveBack()
  giveBack()
  await takeTurn()
  let entered = false
  void takeTurn().then(() => {
    entered = true
  })
  await settle()
  expect(entered).toBe(false)
})

test('createTurns() lets an aborted waiter leave the line and the next one in', async () => {
  const takeTurn = createTurns(1)
  const giveBack = await takeTurn()
  const controller = new AbortController()
  const leaving = takeTurn(controller.signal)
  const staying = takeTurn()
  controller.abort(new Error('enough'))
  await expect(leaving).rejects.toThrow('enough')
  giveBack()
  await expect(staying).resolves.toBeTypeOf('function')
})

test('createTurns() refuses a signal that is aborted already, and takes no turn for it', async () => {
  const takeTurn = createTurns(1)
  await expect(takeTurn(AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  await expect(takeTurn()).resolves.toBeTypeOf('function')
})

/** Lets everything that can go on go on: microtasks and one turn of the loop. */
function settle(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve)
  })
}
