// Decides whether a line continues the stack trace that the lines before it began. No text is kept here.

/** State of a trace: the lines that may continue it. */
export type TraceState = 'open' | 'python' | 'python_said' | 'go' | 'node' | 'kernel' | 'over';

/** Beginnings of lines that never stand alone, in any language. */
const GOES_ON = [
  ...['Caused by: ', 'Suppressed: ', 'stack traceback:', 'coroutine ', 'Stack trace:', 'Node.js v', 'goroutine '],
  ...['created by ', '[signal ', 'Call Trace:'],
];
/** Lines between two tracebacks of which the first caused the second. */
const RAISED = ['During handling of the above exception', 'The above exception was'];
const TRACEBACK = 'Traceback (most recent call last)';
/** rsyslog writes a tab like this by default. */
const ESCAPED_TAB = '#011';

/** Beginnings of a kernel oops: many lines, each a message of its own. */
const KERNEL_BEGINS = [
  ...['BUG: ', 'Oops', 'kernel BUG at ', 'WARNING: CPU: ', '------------[ cut here ]', 'general protection fault'],
  ...['INFO: task ', 'watchdog: BUG: ', 'Unable to handle kernel ', 'Internal error: ', 'divide error: '],
  ...['stack segment: ', 'invalid opcode: ', 'Kernel panic - ', 'rcu: INFO: '],
];
/** Beginnings of its further lines. Registers and addresses differ between machines. */
const KERNEL_GOES_ON = [
  ...['#PF: ', 'PGD ', 'Oops: ', 'CPU: ', 'Hardware name: ', 'Workqueue: ', 'RIP: ', 'Code: ', 'RSP: ', 'EIP: '],
  ...['RAX: ', 'RDX: ', 'RBP: ', 'RSI: ', 'RDI: ', 'RBX: ', 'R08: ', 'R10: ', 'R13: ', 'ORIG_RAX: ', 'FS: ', 'CS: '],
  ...['CR2: ', 'DR0: ', 'DR3: ', 'PKRU: ', 'Call Trace:', 'Call trace:', 'Modules linked in: ', 'Tainted: ', 'task:'],
  ...['Backtrace:', 'Process ', 'pstate: ', 'pc : ', 'lr : ', 'sp : ', 'ESR = ', 'Mem abort info:', '---[ end'],
  ...['kernel BUG at ', 'WARNING: CPU: ', 'BUG: ', 'invalid opcode: ', '"echo 0 > /proc/sys', 'Kernel Offset: '],
];
const KERNEL_ENDS = '---[ end';

const startsWithAny = (text: string, at: number, starts: readonly string[]) =>
  starts.some((start) => text.startsWith(start, at));

/** Index after the kernel's `[   12.345678] `, or 0. */
function stampEnd(text: string): number {
  if (text.charCodeAt(0) !== 0x5b) return 0;
  const end = text.indexOf('] ');
  return end > 0 && end < 24 && /^\[ *\d+\.\d+$/.test(text.slice(0, end)) ? end + 2 : 0;
}

/** State after a first line. */
export function beginTrace(text: string, appName: string): TraceState {
  const at = stampEnd(text);
  if ((at > 0 || appName === 'kernel') && startsWithAny(text, at, KERNEL_BEGINS)) return 'kernel';
  if (text.startsWith(TRACEBACK)) return 'python';
  if (text.startsWith('panic: ') || text.startsWith('fatal error: ')) return 'go';
  return 'open';
}

/** State after `text`, or `undefined` when `text` does not continue the trace. */
export function continueTrace(state: TraceState, text: string): TraceState | undefined {
  if (state === 'kernel') return continueKernel(text);
  if (state === 'over') return undefined;
  if (isIndented(text)) {
    if (state === 'python_said') return undefined;
    // A row of `^` below the source line: Node.js continues with the error, after a blank line that syslog drops.
    return state === 'open' && /^[\s]+\^+$/.test(text) ? 'node' : state;
  }
  if (text.startsWith(TRACEBACK)) return state === 'python_said' ? undefined : 'python';
  if (startsWithAny(text, 0, RAISED)) return 'open';
  if (text.startsWith('goroutine ')) return 'go';
  if (startsWithAny(text, 0, GOES_ON)) return state === 'node' ? 'open' : state;
  if (isFrame(text)) return state;
  switch (state) {
    case 'node':
      return 'open';
    case 'python':
      return 'python_said';
    case 'go':
      return isGoCall(text) || text.startsWith('exit status ') ? state : undefined;
    default:
      return undefined;
  }
}

/** Reports whether a line is indented and so continues another one. */
export function isIndented(text: string): boolean {
  const code = text.charCodeAt(0);
  return code === 0x20 || code === 0x09 || text.startsWith(ESCAPED_TAB);
}

/** Restores the tab that rsyslog has escaped. */
export function withTab(text: string): string {
  return text.startsWith(ESCAPED_TAB) ? `\t${text.slice(ESCAPED_TAB.length)}` : text;
}

/**
 * Reports whether a line is a frame that lost its indent: `at handle (/app/a.js:10:5)`, `... 12 more`, `#0
 * /app/a.php(12)`.
 */
function isFrame(text: string): boolean {
  return (
    (text.startsWith('at ') && text.endsWith(')') && text.includes('(')) ||
    (text.startsWith('... ') && text.endsWith(' more')) ||
    /^#\d+ (\/|\{main\}|\[internal)/.test(text)
  );
}

/**
 * Reports whether a line is a call of Go, `main.(*Shop).order(0xc000012345, {0x1, 0x2})`: a name without blanks, then
 * arguments.
 */
function isGoCall(text: string): boolean {
  const open = text.indexOf('(');
  const blank = text.indexOf(' ');
  return open > 0 && text.endsWith(')') && (blank < 0 || blank > open);
}

function continueKernel(text: string): TraceState | undefined {
  const at = stampEnd(text);
  if (text.startsWith(KERNEL_ENDS, at)) return 'over';
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x3f || startsWithAny(text, at, KERNEL_GOES_ON) ? 'kernel' : undefined;
}
