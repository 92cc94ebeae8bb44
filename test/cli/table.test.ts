import { afterEach, describe, expect, test } from 'vitest'
import { table } from '../../src/cli/output.ts'

const { isTTY, columns } = process.stdout

function terminal(width: number | undefined): void {
  Object.assign(process.stdout, { isTTY: width !== undefined, columns: width })
}

afterEach(() => void Object.assign(process.stdout, { isTTY, columns }))

const rows = [
  ['NAME', 'SOURCE', 'DESCRIPTION'],
  ['n'.repeat(200), 'project', 'd'.repeat(1_024)],
  ['short', 'user', 'A short one'],
]

describe('table()', () => {
  test.each([
    // width, room for a name
    [120, 59],
    [80, 39],
    [0, 39],
  ])('on a terminal of %i columns a row is a line, and a name takes %i of it at most', (width, room) => {
    terminal(width)
    const lines = table(rows).split('\n')
    expect(lines.map(line => line.length <= (width || 80) - 1)).toEqual([true, true, true])
    expect(lines[1]).toMatch(new RegExp(`^n{${room - 1}}…  project  d+…$`))
    expect(lines[2]).toBe(`${'short'.padEnd(room)}  user     A short one`)
  })

  test('where no person looks nothing is cut', () => {
    terminal(undefined)
    expect(table(rows).split('\n')[1]).toBe(`${rows[1]?.[0]}  project  ${rows[1]?.[2]}`)
  })
})
