// Reads a trace of strace: which answers left before their commit was on the disk.

/** A system call; `startAt` and `endAt` are its lines. */
interface Call {
  readonly name: string;
  readonly text: string;
  readonly startAt: number;
  readonly endAt: number;
}

/** The calls of a trace of several threads, whose lines have the thread first. */
function callsOf(trace: string): Call[] {
  const calls: Call[] = [];
  const open = new Map<string, { name: string; text: string; startAt: number }>();
  for (const [at, line] of trace.split('\n').entries()) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. (\w+) resumed>(.*)$/.exec(rest);
    if (resumed !== null) {
      const begun = open.get(thread);
      if (begun !== undefined) calls.push({ ...begun, text: begun.text + (resumed[2] ?? ''), endAt: at });
      open.delete(thread);
      continue;
    }
    const name = /^(\w+)\(/.exec(rest)?.[1];
    if (name === undefined) continue;
    if (rest.endsWith('<unfinished ...>')) open.set(thread, { name, text: rest, startAt: at });
    else calls.push({ name, text: rest, startAt: at, endAt: at });
  }
  return calls;
}

/**
 * Looks for each mark, which is stored and comes back in an answer: a sync of the write-ahead log must begin after it
 * was written to the log, and end before the answer. Returns what is wrong, a text for each mark.
 */
export function answersBeforeTheDisk(trace: string, marks: readonly string[]): string[] {
  const calls = callsOf(trace);
  const syncs = calls.filter(({ name, text }) => /^f(?:data)?sync$/.test(name) && text.includes('.db-wal>'));
  return marks.flatMap((mark) => {
    const has = new RegExp(`${mark}(?!\\d)`);
    const written = calls.find(({ name, text }) => name === 'pwrite64' && text.includes('.db-wal>') && has.test(text));
    const answered = calls.find(
      ({ name, text }) => /^(?:write|writev|sendto)$/.test(name) && text.includes('TCP') && has.test(text),
    );
    if (written === undefined || answered === undefined) return [`${mark} is not in the trace`];
    const isDurable = syncs.some(({ startAt, endAt }) => startAt > written.endAt && endAt < answered.startAt);
    return isDurable ? [] : [`the answer with ${mark} left before a sync`];
  });
}
