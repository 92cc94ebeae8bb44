// Generates command texts for the soundness harness: random nesting, quoting, wrappers and glue around harmless stand-in programs.

import fc from 'fast-check'

/** Stand-ins that only log their words. Rules allow the first half. */
export const standIns: readonly string[] = ['alpha', 'beta', 'gamma', 'omega', 'sigma', 'theta']
export const allowedStandIns: readonly string[] = ['alpha', 'beta', 'gamma']

const name = fc.constantFrom(...standIns)
const argument = fc.constantFrom(
  'x',
  '-v',
  '--flag=1',
  'a/b',
  "'q r'",
  '"s t"',
  '$v',
  '"$v"',
  '$(alpha)',
  '`beta y`',
  '"$(gamma)"',
  '{1,2}',
  '{x,"$v"}',
  'a{,b}{c,1..2}',
  '$((1+2))',
  '~',
  "$'t\\x41'",
  '*.none',
  '<(alpha)',
  '\\;',
  '--',
  '"a && omega"',
  "'; sigma'",
  '#c',
  'a#b',
  '$#',
  '${v:-$(theta)}',
  '"${v:-omega}"',
)

/** A spelling that bash reads as the same name. */
const spelled = name.chain(text =>
  fc.constantFrom(
    text,
    `'${text}'`,
    `"${text}"`,
    `\\${text}`,
    `${text.slice(0, 2)}''${text.slice(2)}`,
    `${text[0]}"${text.slice(1)}"`,
    `$'${text}'`,
    `${text.slice(0, 3)}\\\n${text.slice(3)}`,
  ),
)

const redirection = fc.constantFrom(
  '',
  '',
  '',
  ' 2>/dev/null',
  ' >/dev/null',
  ' 2>&1',
  ' </dev/null',
  ' <<<"$(beta)"',
  ' <<E\n$(alpha)\nE\n',
  " <<'E'\n$(omega)\nE\n",
)
const assignment = fc.constantFrom('', '', '', '', 'LANG=C ', 'v=1 ', 'PATH=/nowhere:$PATH ', 'X=$(beta) ')
const simple = fc
  .tuple(
    assignment,
    fc.oneof(
      { weight: 8, arbitrary: spelled },
      { weight: 1, arbitrary: fc.constantFrom('$v', 'al$(echo pha)', '{alpha,}', '$(echo omega)', 'echo', 'true', 'cd', 'printf', ':') },
    ),
    fc.array(argument, { maxLength: 3 }),
    redirection,
  )
  .map(([before, command, words, after]) => `${before}${[command, ...words].join(' ')}${after}`)

const wrapper = fc.constantFrom(
  'env ',
  'env A=1 ',
  'env -i ',
  'env -u v ',
  'timeout 5 ',
  'timeout -s KILL 5 ',
  'nice ',
  'nice -n 5 ',
  'nohup ',
  'time ',
  'time -p ',
  'command ',
  'builtin ',
  'exec ',
  'stdbuf -oL ',
  'setsid ',
  'xargs ',
  'xargs -n1 ',
  'env -S ',
  '! ',
  'find . -maxdepth 0 -exec ',
  'coproc ',
  'eval ',
  'bash -c ',
  'sh -c ',
  'bash -lc ',
)

// No interface: fast-check wants a record.
type Commands = { command: string }

const commands = fc.letrec<Commands>(tie => {
  const inside = tie('command')
  return {
    command: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      simple,
      fc.tuple(wrapper, inside).map(([before, inner]) => wrap(before, inner)),
      fc
        .tuple(inside, fc.constantFrom('; ', ' && ', ' || ', ' | ', ' |& ', '\n', ' & ', '; \n'), inside)
        .map(([left, glue, right]) => `${left}${left.endsWith('\n') && glue.startsWith(' ') ? 'true' : ''}${glue}${right}`),
      inside.map(inner => `( ${inner}\n)`),
      inside.map(inner => `{ ${inner}\n}`),
      inside.map(inner => `echo "$( ${inner}\n)"`),
      inside.map(inner => `if ${inner}\nthen true; else beta; fi`),
      inside.map(inner => `for i in 1 2; do ${inner}\ndone`),
      inside.map(inner => `for v in x {omega,y} *.none; do ${inner}\ndone`),
      inside.map(inner => `while ${inner}\ndo break; done`),
      inside.map(inner => `case x in x) ${inner}\n;; esac`),
      inside.map(inner => `f() { ${inner}\n}`),
      inside.map(inner => `f() { ${inner}\n}; f`),
      inside.map(inner => `[[ -n $( ${inner}\n) ]]`),
      inside.map(inner => `v=$( ${inner}\n)`),
      inside.map(inner => `cat <( ${inner}\n)`),
      inside.map(inner => `cat <<E\n$( ${inner}\n)\nE\n`),
    ),
  }
})

export const anyCommand: fc.Arbitrary<string> = commands.command

function wrap(before: string, inner: string): string {
  if (/-c $|eval $|-S $/.test(before)) return `${before}'${inner.replaceAll("'", "'\\''")}'`
  if (before.startsWith('find')) return `${before}${inner} \\;`
  return `${before}${inner}`
}
