// Names of variables that the shell or its programs read for a purpose of their own, in one place: a command that sets one is not
// allowed by a pattern, and the text of an argument may not become the value of one.

import { holdsName, readNames } from './names.ts'

// Decide which program runs, what it loads or how a text is read.
const deciding = readNames(`
  PATH IFS CDPATH ENV BASH* SHELL SHELLOPTS PS0 PS1 PS2 PS3 PS4 PROMPT PROMPT_* LD_* DYLD_* GIT_* *PAGER *EDITOR VISUAL BROWSER LESS* NODE_* NPM_* PYTHON*
  PERL* RUBY* JAVA* _JAVA* JDK_* CLASSPATH RIPGREP_* GREP_* SSH_* MANPATH MANPAGER MANOPT MANSECT
  MANROFFOPT MANROFFSEQ MANWIDTH MAN_* TAR_* ZIP ZIPOPT ZIPINFO ZIPINFOOPT ZIP_* UNZIP UNZIPOPT UNZIP_* RSYNC_* HOME TMPDIR XDG_* GLOBIGNORE EXECIGNORE
  FIGNORE HISTCONTROL HISTFILE HISTFILESIZE HISTIGNORE HISTSIZE
  HISTTIMEFORMAT INPUTRC OPENSSL_* SSL_* CURL_* WGET* *_PROXY FUNCNEST POSIXLY_CORRECT TIMEFORMAT MAIL MAILCHECK MAILPATH MAILRC
  *_COMMAND *_OPTIONS *_OPTS
  *_ASKPASS RANDOM SRANDOM SECONDS OPTIND HISTCMD LINENO EPOCHSECONDS EPOCHREALTIME BASHPID DIRSTACK FUNCNAME COMP_*
  npm_* *_proxy`)

// Only policy minds these: zsh, old programs and tools in small letters read them, but they are also what people name their own.
const decidingElsewhere = readNames(`
  auto_resume histchars path fpath cdpath manpath module_* fignore mailpath psvar prompt* pythonpath pip_* git_* bash_* ld_* dyld_*`)

// Only arguments may not have these: they start nothing, but a program or a later line of the script takes them for something else.
const meaning = readNames(`
  _ USER LOGNAME PWD OLDPWD TERM TZ LANG LANGUAGE TEMP TMP HOSTNAME HOSTTYPE MACHTYPE OSTYPE UID EUID PPID GROUPS SHLVL OPTARG OPTERR
  REPLY COLUMNS LINES MAPFILE PIPESTATUS GLOBSORT IGNOREEOF COPROC TMOUT MAKEFLAGS MAKEFILES MFLAGS MORE ARGUMENTS ARGUMENTS_FILE *PROXY
  *proxy`)
const meaningFamilies =
  /^(?:ARG\d+|(?:LD|DYLD|BASH|GIT|SSH|LC|PYTHON|PERL|RUBY|JAVA|CLAUDE|WAVE|SKILLCELL|COMP|READLINE|XDG|LESS|GCONV|MALLOC|SUDO|GREP|AWK|JQ|NPM|TAR|CURL|DOCKER|KUBE|AWS)_?[A-Z0-9_]*)$/

/** Whether setting a variable changes which program runs or what it loads. */
export function isDecidingName(name: string): boolean {
  return holdsName(deciding, name) || holdsName(decidingElsewhere, name)
}

/** Whether a variable of that name means something to the shell or to programs, so that an argument may not set it. */
export function isReservedName(name: string): boolean {
  return holdsName(deciding, name) || holdsName(meaning, name) || meaningFamilies.test(name)
}
