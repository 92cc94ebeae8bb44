// Who yields: the one that used more than the others, as long as there are others, and never to the point of starving. Time and CPU are made up.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createYielding, type Yielder } from '../../src/shell/yielding.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

interface FakeTenant extends Yielder {
  seconds: number | undefined
  yields: boolean
  changes: number
}

function fakeTenant(): FakeTenant {
  const tenant: FakeTenant = {
    seconds: 0,
    yields: false,
    changes: 0,
    cpuSeconds: () => tenant.seconds,
    yieldCpu(yields) {
      tenant.yields = yields
      tenant.changes += 1
    },
  }
  return tenant
}

/** Time goes on; each tenant uses its part of a processor. */
function live(milliseconds: number, parts: readonly (readonly [FakeTenant, number])[]): void {
  for (let passed = 0; passed < milliseconds; passed += 10) {
    for (const [tenant, part] of parts) tenant.seconds = (tenant.seconds ?? 0) + part * 0.01
    vi.advanceTimersByTime(10)
  }
}

describe('yielding.begin()', () => {
  test('a tenant alone never yields, and no timer is left when it has been away', () => {
    const yielding = createYielding()
    const noisy = fakeTenant()
    const end = yielding.begin(noisy)
    live(2_000, [[noisy, 2]])
    expect(noisy.changes).toBe(0)
    end()
    live(1_000, [])
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([
    // of a processor: noisy, other, yields
    [2, 0.5, true],
    [1, 0.6, true],
    [1, 0.9, false],
    [1, 1, false],
    [0.05, 0, false],
  ])('one that uses %d beside one that uses %d: it yields is %s, the other does not', (ofNoisy, ofOther, yields) => {
    const yielding = createYielding()
    const [noisy, other] = [fakeTenant(), fakeTenant()]
    yielding.begin(noisy)
    yielding.begin(other)
    live(1_000, [
      [noisy, ofNoisy],
      [other, ofOther],
    ])
    expect([noisy.yields, other.yields]).toEqual([yields, false])
  })

  test('one that runs short commands never yields, however much it uses, and has one that lasts beside it yield', () => {
    const yielding = createYielding()
    const [lasting, short] = [fakeTenant(), fakeTenant()]
    for (let count = 0; count < 50; count += 1) {
      const end = yielding.begin(short)
      live(20, [[short, 2]])
      end()
    }
    yielding.begin(lasting)
    for (let count = 0; count < 50; count += 1) {
      const end = yielding.begin(short)
      live(20, [
        [short, 1],
        [lasting, 0.5],
      ])
      end()
    }
    expect([short.changes, lasting.yields]).toEqual([0, true])
  })

  test('one that was busy yields in the moment in which another comes', () => {
    const yielding = createYielding()
    const [noisy, other] = [fakeTenant(), fakeTenant()]
    yielding.begin(noisy)
    live(1_000, [[noisy, 1]])
    expect(noisy.yields).toBe(false)
    yielding.begin(other)
    expect(noisy.yields).toBe(true)
  })

  test('has its share again when the others are gone, or did as much meanwhile', () => {
    const yielding = createYielding()
    const [noisy, other] = [fakeTenant(), fakeTenant()]
    yielding.begin(noisy)
    const end = yielding.begin(other)
    live(500, [
      [noisy, 2],
      [other, 0.2],
    ])
    expect(noisy.yields).toBe(true)
    live(1_500, [
      [noisy, 0.5],
      [other, 1.5],
    ])
    expect([noisy.yields, other.yields]).toEqual([false, true])
    end()
    live(1_000, [[noisy, 2]])
    expect([noisy.yields, other.yields]).toEqual([false, false])
  })

  test('one that gets next to nothing is let go at the next look', () => {
    const yielding = createYielding()
    const [noisy, other] = [fakeTenant(), fakeTenant()]
    yielding.begin(noisy)
    yielding.begin(other)
    live(500, [
      [noisy, 2],
      [other, 0.5],
    ])
    expect(noisy.yields).toBe(true)
    // Something that is none of our tenants takes it all.
    live(60, [[other, 0.01]])
    expect(noisy.yields).toBe(false)
  })

  test('a hog among many light ones yields, none of them does', () => {
    const yielding = createYielding()
    const noisy = fakeTenant()
    const light = Array.from({ length: 9 }, fakeTenant)
    for (const tenant of [noisy, ...light]) yielding.begin(tenant)
    live(1_000, [[noisy, 1], ...light.map(tenant => [tenant, 0.1] as const)])
    expect(noisy.yields).toBe(true)
    expect(light.some(tenant => tenant.changes > 0)).toBe(false)
  })

  test('counts a tenant from its first cell on, and what is not counted never yields', () => {
    const yielding = createYielding()
    const [late, other] = [fakeTenant(), fakeTenant()]
    late.seconds = undefined
    yielding.begin(late)
    yielding.begin(other)
    live(200, [])
    expect(late.yields).toBe(false)
    live(300, [[late, 1]])
    expect(late.yields).toBe(true)
  })

  test('two commands of a tenant are two, however often one says that it ended', () => {
    const yielding = createYielding()
    const [noisy, other] = [fakeTenant(), fakeTenant()]
    const end = yielding.begin(noisy)
    yielding.begin(noisy)
    yielding.begin(other)
    end()
    end()
    live(2_000, [
      [noisy, 1],
      [other, 0.1],
    ])
    expect(noisy.yields).toBe(true)
  })
})
