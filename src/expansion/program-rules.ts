// Data: programs that take code, and where in their operands it stands. Those that only start another one are bash/wrappers.ts.

import { awkProblem } from '../bash/awk-program.ts'
import { sedProblem } from '../bash/sed-program.ts'

export interface ProgramRule {
  /**
   * `text`: any operand or its input may be code. `script`: the first operand is a script, what follows is its data.
   * `program`: the first operand is a program text, what follows is data. `after`: code begins at one of `words`.
   * `options`: only the values of code options are code.
   */
  readonly reads: 'text' | 'script' | 'program' | 'after' | 'options'
  /** Options whose value is code. */
  readonly codeOptions?: RegExp
  /** What follows the value of a code option is data. */
  readonly dataAfterCode?: boolean
  /** Options with one value that is data, and those with two. */
  readonly valueOptions?: RegExp
  readonly twoValueOptions?: RegExp
  /** First operands that only choose what is done. */
  readonly subcommands?: RegExp
  readonly words?: RegExp
  /** What a program text can do beside computing: then no argument may be among its data, which it could run. */
  readonly reaches?: (program: string) => boolean
}

const shell: ProgramRule = {
  reads: 'script',
  codeOptions: /^-[A-Za-z]*c|^--(?:command|rcfile|init-file)/,
  valueOptions: /^(?:[-+][oO]|--(?:rcfile|init-file))$/,
}
const awk: ProgramRule = {
  reads: 'program',
  reaches: program => awkProblem(program) !== undefined,
  codeOptions: /^(?:-[feEi]|--(?:file|source|exec|include))/,
  valueOptions: /^(?:-[vF]|--assign|--field-separator)$/,
}
const node: ProgramRule = {
  reads: 'script',
  codeOptions: /^(?:-[A-Za-z]*[ep]|--eval|--print|-r|--require|--import|--loader|--experimental-loader|--env-file)/,
  valueOptions: /^(?:-C|--conditions|--input-type)$/,
  subcommands: /^(?:run|test)$/,
}
const python: ProgramRule = {
  reads: 'script',
  codeOptions: /^-[A-Za-z]*c/,
  dataAfterCode: true,
  valueOptions: /^-[WX]$/,
  // A quick look, no proof: python has many ways, and policy asks for its code anyway.
  reaches: program =>
    /\b(?:system|popen\w*|subprocess|exec\w*|eval|spawn\w*|compile|importlib|__import__|runpy|pty|ctypes|pickle|marshal|getattr|globals|builtins)\b/.test(
      program,
    ),
}
const perl: ProgramRule = { reads: 'script', codeOptions: /^-[A-Za-z0-9]*[eEMmrI]/ }
const jq: ProgramRule = {
  reads: 'program',
  codeOptions: /^(?:-f|--from-file|-L|--library-path)/,
  valueOptions: /^--(?:indent|seq-separator)$/,
  twoValueOptions: /^--(?:arg|argjson|slurpfile|rawfile|argfile)$/,
}
const sed: ProgramRule = {
  reads: 'program',
  reaches: program => sedProblem(program) !== undefined,
  codeOptions: /^(?:-[nrsEuz]*[ef]|--(?:expression|file))/,
  valueOptions: /^(?:-l|--line-length)$/,
}
const tar: ProgramRule = {
  reads: 'options',
  codeOptions: /^(?:-[A-Za-z]*[IF]|--(?:use-|to-command|checkpoint-a|info-script|new-volume-script|rsh-command|rmt-command))/,
}
const helpers: ProgramRule = {
  reads: 'options',
  codeOptions: /^(?:-[A-Za-z]*[eP]|--(?:filter|compress-prog|pre|hostname-bin|rsh|pager|html|diff-program|preview))/,
}
const text: ProgramRule = { reads: 'text' }
const container: ProgramRule = { reads: 'after', words: /^(?:exec|run|create|debug|compose|ssh|attach)$/ }

const table: readonly (readonly [ProgramRule, string])[] = [
  [shell, 'bash sh dash ash zsh ksh mksh fish csh tcsh rbash'],
  [awk, 'awk gawk mawk nawk original-awk'],
  [node, 'node nodejs deno bun tsx ts-node'],
  [python, 'python pypy'],
  [perl, 'perl ruby php lua luajit Rscript tclsh wish groovy scala julia elixir raku'],
  [jq, 'jq gojq jaq'],
  [sed, 'sed gsed'],
  [tar, 'tar bsdtar gtar'],
  [helpers, 'split sort rg rsync man diff3 sdiff fzf'],
  [text, 'sg capsh newgrp'],
  [
    text,
    'ssh make gmake bmake sqlite sqlite3 psql mysql mariadb duckdb watch at batch parallel npx bunx pnpx uvx pipx hyperfine tmux screen gdb lldb expect vim vi nvim view emacs ed ex dc bc m4 osascript crontab su runuser script systemd-run entr pwsh powershell cmd.exe yq xonsh nu R octave gnuplot socat concurrently nodemon rlwrap just task rake gradle ant',
  ],
  [container, 'docker podman kubectl oc nerdctl lxc incus docker-compose vagrant'],
  [{ reads: 'after', words: /^(?:-c|foreach|bisect|filter-branch|config|alias|--exec|-x|--upload-pack|--receive-pack)$/ }, 'git'],
  [{ reads: 'after', words: /^(?:exec|x|dlx|explore|config|set|alias|extension)$/ }, 'npm pnpm yarn gh uv cargo'],
]

export const programRules: ReadonlyMap<string, ProgramRule> = new Map(
  table.flatMap(([rule, names]) => names.split(' ').map((name): [string, ProgramRule] => [name, rule])),
)

export function codeOptions(rule: Pick<ProgramRule, 'codeOptions'>, option: string): boolean {
  return rule.codeOptions?.test(option) ?? false
}

/** How many words after an option are its values. */
export function argumentOptions(rule: ProgramRule, option: string): number {
  if (rule.twoValueOptions?.test(option)) return 2
  return rule.valueOptions?.test(option) ? 1 : 0
}
