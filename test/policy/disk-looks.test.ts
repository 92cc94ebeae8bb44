import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DiskLooks, maxLooks } from '../../src/policy/disk-looks.ts'
import { resolvePath } from '../../src/policy/paths.ts'
import { createPlace, type Place } from './support.ts'

let place: Place
beforeAll(() => {
  place = createPlace()
  place.write('notes/a.md')
  place.write('secret/key.pem')
  place.link('door', `${place.workspace}/secret/key.pem`)
  place.link('inner', `${place.workspace}/notes`)
  place.link('dangling', '/nowhere/at/all')
  place.link('loop', `${place.workspace}/loop`)
})
afterAll(() => place.remove())

const names = (count: number): string => Array.from({ length: count }, (_, index) => `f${index.toString(36)}`).join(' ')

describe('DiskLooks', () => {
  const paths = ['notes', 'notes/a.md', 'notes/none', 'none', 'none/at/all', 'inner', 'inner/a.md', 'inner/..', 'inner/../notes/a.md']
  const odd = ['door', 'door/x', 'dangling', 'dangling/x', 'loop', 'loop/x', 'notes/a.md/x', 'notes//a.md', 'notes/', './notes/.', '../x']
  test.each([...paths, ...odd])('resolves "%s" as a look of its own does, first and second time', path => {
    const looks = new DiskLooks()
    const absolute = `${place.workspace}/${path}`
    looks.realPath(`${place.workspace}/notes/other`)
    expect(looks.resolvePath(absolute)).toEqual(resolvePath(absolute))
    expect(looks.resolvePath(absolute)).toEqual(resolvePath(absolute))
  })

  test('looks at each path once, and at no more than it may', () => {
    const looks = new DiskLooks()
    for (let index = 0; index < maxLooks; index++) looks.realPath(`${place.workspace}/notes/${index}`)
    looks.realPath(`${place.workspace}/notes/0`)
    expect(looks.areSpent).toBe(false)
    expect(looks.realPath(`${place.workspace}/notes/a.md`)).toMatch(/^\/unreadable\//)
    expect(looks.areSpent).toBe(true)
  })
})

describe('decideCommand() with much to look at', () => {
  test.each([
    [maxLooks - 1, 'allow'],
    [maxLooks, 'allow'],
    [maxLooks + 1, 'ask'],
  ])('%i files: %s', async (count, decision) => {
    expect((await place.decide(`cat ${names(count)}`)).decision).toBe(decision)
  })

  test('what a link leads to is still found within the limit, and never allowed behind it', async () => {
    const rules = { allow: ['Bash'], deny: ['Read(./secret/**)'] }
    expect((await place.decide(`cat ${names(100)} door`, rules)).decision).toBe('deny')
    expect((await place.decide(`cat ${names(100)}`, rules)).decision).toBe('allow')
    const behind = await place.decide(`cat ${names(maxLooks)} door`, rules)
    expect(behind.decision).toBe('ask')
    expect(behind.reason).toContain('2,000 looks at the disk')
  })

  test.each([['cd notes && '], ['cd none && '], ['cd n* && ']])('so many changes of folder are not followed: "%s"', async unit => {
    expect((await place.decide(`${unit.repeat(2)}ls`)).commands.length).toBe(3)
    const { decision, commands } = await place.decide(`${unit.repeat(500)}curl x`, { allow: ['Bash(curl *)'] })
    expect(decision).toBe('ask')
    expect(commands.length).toBe(501)
    expect((await place.decide(`${unit.repeat(500)}curl x`, { deny: ['Bash(curl *)'] })).decision).toBe('deny')
  })

  test('braces behind a thousand words are not known, and deny still sees what stands in the text', async () => {
    const braces = '{1..9} '.repeat(200)
    expect((await place.decide(`echo ${braces}`)).decision).not.toBe('deny')
    expect((await place.decide(`echo ${braces}; curl x`, { deny: ['Bash(curl *)'] })).decision).toBe('deny')
    expect((await place.decide(`echo ${braces}; {curl,x}`, { deny: ['Bash(curl *)'] })).decision).not.toBe('allow')
  })
})
