// The system call filter of a cell: calls by which a command could reach into other processes of the cell, its shell host above all, or
// widen the surface of the kernel for nothing (SPEC R17.1). They fail with EPERM. A pure function: the bytes that `bwrap --seccomp` takes.

const load = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const giveBack = 0x06
const allow = 0x7fff0000
const refuse = 0x00050000 | 1 // EPERM
const kill = 0x80000000

// Offsets in struct seccomp_data.
const callNumber = 0
const architecture = 4
const firstArgument = 16

interface Machine {
  readonly audit: number
  readonly refused: readonly number[]
  readonly prlimit64: number
  /** Numbers from here on are those of another calling convention (x32). */
  readonly foreignFrom?: number
}

// biome-ignore format: one table; the columns below have the same order
const names = [
  'ptrace', 'process_vm_readv', 'process_vm_writev', 'kcmp', 'pidfd_getfd', 'process_madvise', 'keyctl', 'add_key', 'request_key', 'bpf',
  'perf_event_open', 'userfaultfd', 'io_uring_setup', 'io_uring_enter', 'io_uring_register', 'mount', 'umount2', 'pivot_root', 'move_mount',
  'open_tree', 'fsopen', 'fsmount', 'fspick', 'mount_setattr', 'setns', 'unshare', 'open_by_handle_at', 'kexec_load', 'kexec_file_load',
  'init_module', 'finit_module', 'delete_module', 'swapon', 'swapoff', 'reboot', 'acct', 'quotactl', 'syslog', 'settimeofday', 'clock_settime',
] as const
// biome-ignore format: a table
const x64 = [
  101, 310, 311, 312, 438, 440, 250, 248, 249, 321,
  298, 323, 425, 426, 427, 165, 166, 155, 429,
  428, 430, 432, 433, 442, 308, 272, 304, 246, 320,
  175, 313, 176, 167, 168, 169, 163, 179, 103, 164, 227,
]
// biome-ignore format: a table
const arm64 = [
  117, 270, 271, 272, 438, 440, 219, 217, 218, 280,
  241, 282, 425, 426, 427, 40, 39, 41, 429,
  428, 430, 432, 433, 442, 268, 97, 265, 104, 294,
  105, 273, 106, 224, 225, 142, 89, 60, 116, 170, 112,
]

const machines: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000003e, refused: x64, prlimit64: 302, foreignFrom: 0x40000000 },
  arm64: { audit: 0xc00000b7, refused: arm64, prlimit64: 261 },
}

/** The names of what the filter refuses outright, for `doctor` and tests. */
export const refusedCalls: readonly string[] = names

/** The filter for an architecture as Node names it; undefined where there is none. */
export function seccompFilter(architectureName: string): Buffer | undefined {
  const machine = machines[architectureName]
  if (machine === undefined || machine.refused.length !== names.length) return undefined
  const program: (readonly [code: number, ifTrue: number, ifFalse: number, value: number])[] = []
  // Another architecture has other numbers: its calls are not let through under ours.
  program.push([load, 0, 0, architecture], [jumpIfEqual, 1, 0, machine.audit], [giveBack, 0, 0, kill], [load, 0, 0, callNumber])
  if (machine.foreignFrom !== undefined) program.push([jumpIfAtLeast, 0, 1, machine.foreignFrom], [giveBack, 0, 0, refuse])
  for (const number of machine.refused) program.push([jumpIfEqual, 0, 1, number], [giveBack, 0, 0, refuse])
  // prlimit64: on oneself (0) it is what `ulimit` does; on another process it would change the limits of the host.
  program.push([jumpIfEqual, 0, 3, machine.prlimit64], [load, 0, 0, firstArgument], [jumpIfEqual, 1, 0, 0], [giveBack, 0, 0, refuse])
  program.push([giveBack, 0, 0, allow])
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  }
  return bytes
}
