// Fills a data folder with error-log groups through the code that stores them in the server.
import { pathToFileURL } from 'node:url';
import type { SentLine } from '../packages/store/src/write/line-columns.ts';
import { built } from './built.ts';
import { clientAddress, groupLevel, groupText, randomFrom } from './lines.ts';

const { openDatabase } = await built('packages/core/dist/db/open/index.js');
const { NewGroupLimit } = await built('packages/store/dist/write/new-group-limit.js');
const { groupLines } = await built('packages/store/dist/write/group-lines.js');
const { toColumns } = await built('packages/store/dist/write/line-columns.js');
const { storeBatch } = await built('packages/store/dist/write/store-batch.js');
const { fingerprint } = await built('packages/core/dist/fingerprint/index.js');
const { SourceIds } = await built('packages/store/dist/tables/sources.js');
const { updateSearchIndex } = await built('packages/store/dist/tables/search-index.js');

/** Groups of one write. PostgreSQL ends a write after 4.5 s. */
const BATCH = { sqlite: 2_000, postgresql: 250 } as const;
const DAYS_S = 30 * 86_400;
const SOURCES = 20;

/**
 * Stores `groups` groups of several sources, last seen over the past 30 days, more of them lately. They have
 * `occurrences` each on average: most have a few, a few have most.
 */
export async function seed(
  target: { dataDir: string } | { url: string },
  groups: number,
  occurrences = 1,
): Promise<void> {
  const db = await openDatabase('url' in target ? { kind: 'postgresql', ...target } : { kind: 'sqlite', ...target });
  const random = randomFrom(groups);
  const unlimited = new NewGroupLimit(Number.POSITIVE_INFINITY).open(0);
  const now = Math.floor(Date.now() / 1000);
  const senders = Array.from({ length: SOURCES }, (_, i) => {
    return { nodeType: 1, nodeId: i, name: `gateway-${i}`, address: `10.1.0.${i}` };
  });
  const { ids } = await db.write((tx) => new SourceIds().find(tx, senders, Date.now()));
  const atOnce = BATCH[db.dialect];
  for (let first = 0; first < groups; first += atOnce) {
    const lines: (SentLine & { readonly print: string })[] = [];
    for (let n = first; n < Math.min(groups, first + atOnce); n += 1) {
      const logTime = now - Math.floor(DAYS_S * random() ** 2);
      // The mean of the seventh power of a number below one is an eighth.
      const size = 1 + Math.floor((occurrences - 1) * 8 * random() ** 7);
      const firstSeen = logTime - (size === 1 ? 0 : Math.floor(86_400 * random()));
      const sender = senders[n % SOURCES] as (typeof senders)[0];
      const shape = { level: groupLevel(n), appId: n % 5, reqId: '', count: 1 };
      const print = fingerprint(groupText(n, clientAddress(random)));
      for (let k = 0; k < size; k += 1) {
        const time = k === size - 1 ? logTime : firstSeen + Math.floor(((logTime - firstSeen) * k) / size);
        lines.push({ line: { ...shape, logTime: time, log: groupText(n, clientAddress(random)) }, sender, print });
      }
    }
    const columns = toColumns(lines, (_, i) => (lines[i] as (typeof lines)[0]).print);
    const batch = groupLines([columns], ids, undefined);
    await db.write((tx) => storeBatch(tx, batch, now, { allowance: unlimited }));
  }
  await updateSearchIndex(db, () => false, 0);
  await db.close();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , dataDir = '', groups = '0', occurrences = '1'] = process.argv;
  await seed({ dataDir }, Number(groups), Number(occurrences));
}
