import type { LogLine } from '@quarterdeck/core/lines';
import { describe, expect, it } from 'vitest';
import type { Sender } from '../tables/sources.ts';
import { groupLines } from './group-lines.ts';

const sender = (name: string): Sender => ({ nodeType: 0, nodeId: -1, name, address: '' });
const line = (fields: Partial<LogLine> = {}): LogLine => ({
  level: 4,
  log: 'text',
  logTime: 100,
  appId: 0,
  reqId: '',
  count: 1,
  ...fields,
});

describe('groupLines', () => {
  it('keeps apart what differs in source, application, level or fingerprint, and nothing else', () => {
    const [one, other] = [sender('one'), sender('other')];
    const ids = new Map([
      [one, { id: 1 }],
      [other, { id: 2 }],
    ]);
    const kinds = [
      { sender: one, line: line(), print: 'a' },
      { sender: other, line: line(), print: 'a' },
      { sender: one, line: line({ appId: 1 }), print: 'a' },
      { sender: one, line: line({ appId: 2 ** 31 - 1 }), print: 'a' },
      { sender: one, line: line({ level: 0 }), print: 'a' },
      { sender: one, line: line({ level: 8 }), print: 'a' },
      { sender: one, line: line(), print: 'b' },
    ];
    const twice = [...kinds, ...kinds];
    const groups = groupLines([{ lines: twice, fingerprints: twice.map(({ print }) => print) }], ids);
    expect(groups.map(({ src, appId, level, fingerprint, count }) => [src, appId, level, fingerprint, count])).toEqual(
      kinds.map(({ sender: from, line: { appId, level }, print }) => [ids.get(from)?.id, appId, level, print, 2]),
    );
  });

  it('takes the text of the latest line, and the times of the first and the last', () => {
    const from = sender('x');
    const lines = [50, 200, 100].map((logTime) => ({ sender: from, line: line({ logTime, log: `at ${logTime}` }) }));
    const [group] = groupLines([{ lines, fingerprints: ['a', 'a', 'a'] }], new Map([[from, { id: 1 }]]));
    expect(group).toMatchObject({ firstSeen: 50, logTime: 200, log: 'at 200', count: 3 });
    expect(group?.occurrences.map(({ time }) => time)).toEqual([50, 200, 100]);
  });
});
