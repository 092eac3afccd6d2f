// Tells which line goes on with the stack trace that the lines before it have begun. No text is kept here.

/** What a trace that has begun may go on with. */
export type TraceState = 'open' | 'python' | 'python_said' | 'go' | 'node' | 'kernel' | 'over';

/** Begins a line that never stands alone, in whatever language. */
const GOES_ON = [
  ...['Caused by: ', 'Suppressed: ', 'stack traceback:', 'coroutine ', 'Stack trace:', 'Node.js v', 'goroutine '],
  ...['created by ', '[signal ', 'Call Trace:'],
];
/** Stands between two tracebacks of which the second was raised because of the first. */
const RAISED = ['During handling of the above exception', 'The above exception was'];
const TRACEBACK = 'Traceback (most recent call last)';
/** rsyslog writes a tab as this unless it is told otherwise. */
const ESCAPED_TAB = '#011';

/** Begins what Linux writes when it goes wrong: many lines, each a message of its own. */
const KERNEL_BEGINS = [
  ...['BUG: ', 'Oops', 'kernel BUG at ', 'WARNING: CPU: ', '------------[ cut here ]', 'general protection fault'],
  ...['INFO: task ', 'watchdog: BUG: ', 'Unable to handle kernel ', 'Internal error: ', 'divide error: '],
  ...['stack segment: ', 'invalid opcode: ', 'Kernel panic - ', 'rcu: INFO: '],
];
/** Begins what follows. Registers and addresses differ from one machine to the next. */
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

/** The index behind the kernel's `[   12.345678] `, or 0. */
function stampEnd(text: string): number {
  if (text.charCodeAt(0) !== 0x5b) return 0;
  const end = text.indexOf('] ');
  return end > 0 && end < 24 && /^\[ *\d+\.\d+$/.test(text.slice(0, end)) ? end + 2 : 0;
}

/** What a line that stands first begins. */
export function beginTrace(text: string, appName: string): TraceState {
  const at = stampEnd(text);
  if ((at > 0 || appName === 'kernel') && startsWithAny(text, at, KERNEL_BEGINS)) return 'kernel';
  if (text.startsWith(TRACEBACK)) return 'python';
  if (text.startsWith('panic: ') || text.startsWith('fatal error: ')) return 'go';
  return 'open';
}

/** What the trace is behind `text`, or `undefined` when `text` does not belong to it. */
export function continueTrace(state: TraceState, text: string): TraceState | undefined {
  if (state === 'kernel') return continueKernel(text);
  if (state === 'over') return undefined;
  if (isIndented(text)) {
    if (state === 'python_said') return undefined;
    // A row of `^` below the source line: Node.js goes on with the error, behind a blank line that syslog loses.
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

/** Whether a line is a part of something rather than a beginning. */
export function isIndented(text: string): boolean {
  const code = text.charCodeAt(0);
  return code === 0x20 || code === 0x09 || text.startsWith(ESCAPED_TAB);
}

/** The text with a tab where rsyslog has put its number. */
export function withTab(text: string): string {
  return text.startsWith(ESCAPED_TAB) ? `\t${text.slice(ESCAPED_TAB.length)}` : text;
}

/** A frame whose indent was lost on its way: `at handle (/app/a.js:10:5)`, `... 12 more`, `#0 /app/a.php(12)`. */
function isFrame(text: string): boolean {
  return (
    (text.startsWith('at ') && text.endsWith(')') && text.includes('(')) ||
    (text.startsWith('... ') && text.endsWith(' more')) ||
    /^#\d+ (\/|\{main\}|\[internal)/.test(text)
  );
}

/** `main.(*Shop).order(0xc000012345, {0x1, 0x2})`: a name without blanks, then arguments. */
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
