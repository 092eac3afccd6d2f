// Merges equal lines of a batch: transferring and storing a line costs as much as reading it.
import type { SyslogLine } from './syslog-line.ts';

/** Merges equal lines of the same second into one line with a count, at the position of the first. */
export function mergeEqualLines(lines: readonly SyslogLine[]): SyslogLine[] {
  const merged: SyslogLine[] = [];
  const places = new Map<string, number>();
  for (const line of lines) {
    const place = line.fields === undefined ? places.get(line.log) : undefined;
    const before = place === undefined ? undefined : merged[place];
    if (place !== undefined && before !== undefined && isEqual(before, line)) {
      merged[place] = { ...before, count: before.count + line.count };
      continue;
    }
    if (line.fields === undefined) places.set(line.log, merged.length);
    merged.push(line);
  }
  return merged;
}

const isEqual = (a: SyslogLine, b: SyslogLine): boolean =>
  a.service === b.service &&
  a.level === b.level &&
  a.logTime === b.logTime &&
  a.reqId === b.reqId &&
  a.appId === b.appId;
