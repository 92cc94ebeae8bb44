import { afterAll, beforeAll, expect, test } from 'vitest'
import { proposeRules } from '../../src/policy/propose.ts'
import { createPlace, type Place } from './support.ts'

let place: Place
beforeAll(() => {
  place = createPlace()
})
afterAll(() => place.remove())

test.each<[command: string, rules: readonly string[]]>([
  ['touch a', ['Bash(touch *)']],
  ['make all', ['Bash(make all *)']],
  ['git push origin main', ['Bash(git push *)']],
  // What destroys is allowed as it stands, and nothing else is.
  ['rm q.txt', ['Bash(rm q.txt)']],
  ['rm -r build', ['Bash(rm -r build)']],
  ['/bin/rm q.txt', ['Bash(/bin/rm q.txt)']],
  ['mv a b', ['Bash(mv a b)']],
  ['chmod 644 a', ['Bash(chmod 644 a)']],
  ['ln -s a b', ['Bash(ln -s a b)']],
  ['mkfs.ext4 disk.img', ['Bash(mkfs.ext4 disk.img)']],
  ['dd if=a of=b', ['Bash(dd if=a of=b)']],
  ['docker rm web', ['Bash(docker rm web)']],
  ['docker container rm web', ['Bash(docker container rm web)']],
  ['docker ps', ['Bash(docker ps *)']],
  ['git clean -fd', ['Bash(git clean -fd)']],
  ['rm', ['Bash(rm)']],
  // A sign of a pattern, or a word that is not known: nothing.
  ['rm *.txt', []],
  ['rm "a b"', []],
  ['rm "*"', []],
  ['rm $FILE', []],
  ['rm a[1]', []],
  ['rm ~/a', []],
  ['rm  a', []],
  ['touch a && rm b', ['Bash(touch *)', 'Bash(rm b)']],
])('proposeRules() of `%s`', async (command, rules) => {
  expect(proposeRules(await place.decide(command)).rules).toEqual(rules)
})

test.each(['rm', 'rmdir', 'mv', 'dd', 'shred', 'truncate', 'chmod', 'chown', 'chgrp', 'kill', 'pkill', 'killall', 'ln', 'install', 'tee'])(
  'what proposeRules() proposes for %s does not cover another operand',
  async name => {
    const { rules } = proposeRules(await place.decide(`${name} one two`))
    expect((await place.decide(`${name} one three`, { allow: rules })).decision).not.toBe('allow')
    expect(rules.filter(rule => rule.includes('*'))).toEqual([])
  },
)
