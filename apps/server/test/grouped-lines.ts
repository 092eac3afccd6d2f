// Lines of sources, grouped as a write groups them, for tests that give the ids of sources themselves.
import { fingerprint } from '@quarterdeck/core/fingerprint';
import type { Sender } from '../../../packages/store/src/tables/sources.ts';
import type { GroupedLines } from '../../../packages/store/src/write/batch.ts';
import { groupLines } from '../../../packages/store/src/write/group-lines.ts';
import { toColumns } from '../../../packages/store/src/write/line-columns.ts';

/** A line of a source. Times are Unix seconds. */
interface SourceLine {
  readonly src: number;
  readonly nodeType?: number;
  readonly level: number;
  readonly appId?: number;
  readonly time: number;
  readonly reqId?: string;
  readonly count?: number;
  readonly log: string;
}

/** Groups lines; `print` is the fingerprint of all, in place of those of their texts. */
export function groupedLines(lines: readonly SourceLine[], print?: string): GroupedLines {
  const senders = new Map<number, Sender>();
  const sent = lines.map(({ src, nodeType = 0, level, appId = 0, time, reqId = '', count = 1, log }) => {
    const sender = senders.get(src) ?? { nodeType, nodeId: -1, name: `source ${src}`, address: '' };
    senders.set(src, sender);
    return { line: { level, log, logTime: time, appId, reqId, count }, sender };
  });
  const columns = toColumns(sent, ({ log }) => print ?? fingerprint(log));
  const ids = new Map(Array.from(senders, ([src, sender]) => [sender, src]));
  return groupLines([columns], ids, undefined);
}
