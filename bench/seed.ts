// Fills a data folder with error-log groups, by the same code that stores them in the server.
import { pathToFileURL } from 'node:url';
import { groupLevel, groupText, randomFrom } from './lines.ts';

const dist = (path: string) => new URL(`../${path}`, import.meta.url).href;
const { openDatabase } = await import(dist('packages/core/dist/db/index.js'));
const { storeBatch } = await import(dist('apps/server/dist/features/errlog/errlog.store.js'));
const { fingerprint } = await import(dist('apps/server/dist/features/errlog/fingerprint.js'));

const BATCH = 5_000;
const DAYS_S = 30 * 86_400;

/** Stores `groups` groups, last seen over the past 30 days, more of them lately. */
export async function seed(target: { dataDir: string } | { url: string }, groups: number): Promise<void> {
  const db = await openDatabase('url' in target ? { kind: 'postgresql', ...target } : { kind: 'sqlite', ...target });
  const random = randomFrom(groups);
  const now = Math.floor(Date.now() / 1000);
  for (let first = 0; first < groups; first += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, groups - first) }, (_, i) => {
      const log = groupText(first + i);
      const time = now - Math.floor(DAYS_S * random() ** 2);
      const count = 1 + Math.floor(100 * random() ** 6);
      return {
        src: 0,
        nodeType: 1,
        appId: 0,
        level: groupLevel(first + i),
        fingerprint: fingerprint(log),
        count,
        firstSeen: time,
        logTime: time,
        log,
        occurrences: [{ time, reqId: '', count, log }],
      };
    });
    await db.write((tx: unknown) => storeBatch(tx, db.dialect, batch, now));
  }
  await db.close();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , dataDir = '', groups = '0'] = process.argv;
  await seed({ dataDir }, Number(groups));
}
