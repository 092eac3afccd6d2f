import { expect, it } from 'vitest';
import { mergeEqualLines } from './equal-lines.ts';
import type { SyslogLine } from './syslog-line.ts';

const line = (log: string, more: Partial<SyslogLine> = {}): SyslogLine => ({
  ...{ level: 4, log, logTime: 100, appId: 0, reqId: '', count: 1, hostname: 'h', appName: 'a', ...more },
});

it('merges equal lines at any position and does not change its input', () => {
  const lines = [line('a'), line('b'), line('a', { count: 5 }), line('b'), line('a')];
  const given = structuredClone(lines);
  expect(mergeEqualLines(lines)).toEqual([line('a', { count: 7 }), line('b', { count: 2 })]);
  expect(lines).toEqual(given);
});

it.each([
  ['another text', { log: 'b' }],
  ['another level', { level: 5 }],
  ['another second', { logTime: 101 }],
  ['a request', { reqId: 'r' }],
  ['an application', { appId: 7 }],
  ['another service', { service: 'b' }],
  ['fields', { fields: { pid: '1' } }],
])('keeps apart a line with %s', (_name, more) => {
  const lines = [line('a'), line('a', more), line('a', more)];
  const counts = mergeEqualLines(lines).map(({ count }) => count);
  expect(counts).toEqual('fields' in more ? [1, 1, 1] : [1, 2]);
});
