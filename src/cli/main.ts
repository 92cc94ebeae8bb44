#!/usr/bin/env node
// Entry of the command line. It loads little: each command loads what it needs.

import { runCommandLine } from './program.ts'

process.exitCode = await runCommandLine(process.argv.slice(2))
