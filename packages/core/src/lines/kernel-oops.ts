// Recognizes the lines of a kernel oops: many lines, each a message of its own.

/** Beginnings of an oops. */
const BEGINS = [
  ...['BUG: ', 'Oops', 'kernel BUG at ', 'WARNING: CPU: ', '------------[ cut here ]', 'general protection fault'],
  ...['INFO: task ', 'watchdog: BUG: ', 'Unable to handle kernel ', 'Internal error: ', 'divide error: '],
  ...['stack segment: ', 'invalid opcode: ', 'Kernel panic - ', 'rcu: INFO: '],
];
/** Beginnings of its further lines. Registers and addresses differ between machines. */
const GOES_ON = [
  ...['#PF: ', 'PGD ', 'Oops: ', 'CPU: ', 'Hardware name: ', 'Workqueue: ', 'RIP: ', 'Code: ', 'RSP: ', 'EIP: '],
  ...['RAX: ', 'RDX: ', 'RBP: ', 'RSI: ', 'RDI: ', 'RBX: ', 'R08: ', 'R10: ', 'R13: ', 'ORIG_RAX: ', 'FS: ', 'CS: '],
  ...['CR2: ', 'DR0: ', 'DR3: ', 'PKRU: ', 'Call Trace:', 'Call trace:', 'Modules linked in: ', 'Tainted: ', 'task:'],
  ...['Backtrace:', 'Process ', 'pstate: ', 'pc : ', 'lr : ', 'sp : ', 'ESR = ', 'Mem abort info:', '---[ end'],
  ...['kernel BUG at ', 'WARNING: CPU: ', 'BUG: ', 'invalid opcode: ', '"echo 0 > /proc/sys', 'Kernel Offset: '],
];
const ENDS = '---[ end';

const startsWithAny = (text: string, at: number, starts: readonly string[]) =>
  starts.some((start) => text.startsWith(start, at));

/** Index after the kernel's `[   12.345678] `, or 0. */
function stampEnd(text: string): number {
  if (text.charCodeAt(0) !== 0x5b) return 0;
  const end = text.indexOf('] ');
  return end > 0 && end < 24 && /^\[ *\d+\.\d+$/.test(text.slice(0, end)) ? end + 2 : 0;
}

/** Reports whether a line begins an oops. Without the kernel's stamp the program must be the kernel. */
export function beginsOops(text: string, appName: string): boolean {
  const at = stampEnd(text);
  return (at > 0 || appName === 'kernel') && startsWithAny(text, at, BEGINS);
}

/** Reports whether a line is the last one of an oops. */
export const endsOops = (text: string): boolean => text.startsWith(ENDS, stampEnd(text));

/** Reports whether a line is a further one of an oops. */
export function continuesOops(text: string): boolean {
  const at = stampEnd(text);
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x3f || startsWithAny(text, at, GOES_ON);
}
