// Erasing lines while a server runs: afterwards nothing of them is left on the disk.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sql, statement } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { eraseLines } from '../../../../../packages/store/src/packing/erase.ts';
import { createPacker } from '../../../../../packages/store/src/packing/packer.ts';
import { segmentAfter } from '../../../../../packages/store/src/packing/segment-table.ts';
import { SegmentReader } from '../../../../../packages/store/src/segments/segment-reader.ts';
import { appendTexts, readAllLines } from '../../all-lines.ts';
import { failAtEachWrite } from '../../failing-writes.ts';
import { openStore } from '../../open-store.ts';
import { DIALECT, startApi, type TestApi } from '../../start-api.ts';
import { word } from '../../word.ts';

const NOW_S = 1_795_000_000;
const EVENTS = statement('SELECT data FROM event');
const staleIn = (id: string) =>
  `SELECT count(*) AS n FROM errlog_search WHERE ${id} IN (SELECT id FROM errlog WHERE text_stale)`;
const STALE_IN_INDEX = statement({ sqlite: staleIn('rowid'), postgresql: staleIn('id') });

const erase = ({ admin }: TestApi, secret: string, dry_run = false) =>
  admin.line.erase({ body: { filter: `"${secret}"`, dry_run } });

/** Names of the files that hold a text. */
const filesWith = (folder: string, text: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(folder, entry.name)).includes(text))
    .map(({ name }) => name);

const send = (api: TestApi, logs: readonly string[], app_id = 1) =>
  api.admin.errlog.append({ body: logs.map((log) => ({ level: 4, log, app_id })) });

/** Sends lines of one group, of which each tenth holds the secret, in packed and in fresh segments. */
async function sendLines(api: TestApi, secret: string): Promise<{ group: number; kept: number }> {
  const logs = Array.from({ length: 300 }, (_, i) => `token="${i % 10 === 0 ? secret : `tok${i}`}" was refused`);
  for (let part = 0; part < 3; part += 1) {
    await send(api, logs.slice(part * 100, part * 100 + 100));
    if (part < 2) await api.server.jobs.runAll();
  }
  await send(api, [`token="${secret}" was refused`]);
  const { data } = await api.admin.errlog.list({ query: { app_id: 1 } });
  return { group: data[0]?.id ?? 0, kept: 270 };
}

describe('erased lines', () => {
  it('are gone from lines, groups, the search, events and files; the others stay with their ids', async () => {
    await using api = await startApi();
    const { db } = api.server.deps;
    const dataDir = api.sharing['DATA_DIR'] ?? '';
    const files = (text: string) => (DIALECT === 'sqlite' ? filesWith(dataDir, text) : []);
    const secret = `Zq9#${word()}-${word()}`;
    const { group, kept } = await sendLines(api, secret);
    await send(api, [`a second group of ${secret}`], 2);
    const before = await readAllLines(db);
    const { count } = await api.admin.errlog.get({ params: { id: group } });
    const copies = DIALECT === 'sqlite' ? ['quarterdeck.db.before-upgrade'] : [];
    for (const name of copies) writeFileSync(join(dataDir, name), `has ${secret}`);
    expect(files(secret).length).toBeGreaterThanOrEqual(2 * copies.length);

    const erased = { matched: 32, groups: 2, backups: copies };
    expect(await erase(api, secret, true)).toMatchObject({ ...erased, erased: 0 });
    expect(await readAllLines(db)).toEqual(before);
    expect(await erase(api, secret)).toMatchObject({ ...erased, erased: 32 });
    expect(files(secret)).toEqual(copies);
    // Parts of the secret may be in an index of pieces, or in compressed bytes.
    expect(files(secret.slice(2, -2))).toEqual(copies);

    const after = await readAllLines(db);
    expect(after).toEqual(before.filter(({ log }) => !log.includes(secret)));
    expect(after).toHaveLength(kept);
    expect(await api.admin.errlog.get({ params: { id: group } })).toMatchObject({
      count,
      log: 'token="tok299" was refused',
    });
    const [second] = (await api.admin.errlog.list({ query: { app_id: 2 } })).data;
    expect(second).toMatchObject({ log: '[erased]', count: 1 });
    await api.server.jobs.runAll();
    expect((await api.admin.errlog.list({ query: { q: secret } })).meta.count).toBe(0);
    expect((await api.admin.errlog.list({ query: { q: 'tok299' } })).meta.count).toBe(1);
    const events = await db.read.sql.all<{ data: string }>(EVENTS);
    expect(events.some(({ data }) => data.includes(secret))).toBe(false);
    expect(await erase(api, secret)).toMatchObject({ matched: 0, groups: 0 });
    await send(api, ['the server goes on']);
    await api.server.stop();
    expect(files(secret)).toEqual(copies);
  });

  it('are counted once each, also where another server packs their segments meanwhile', async () => {
    await using store = await openStore();
    const { db } = store;
    for (const texts of [['one', 'two'], ['three'], ['four', 'five']]) await appendTexts(db, texts, NOW_S);
    const packer = createPacker(db);
    const seen: number[] = [];
    for (let after = 0; ; ) {
      const segment = await segmentAfter(db.read.sql, after);
      if (segment === undefined) break;
      const reader = new SegmentReader(segment);
      for (let place = 0; place < segment.n; place += 1) {
        const { id } = reader.line(place);
        if (id > after) seen.push(id);
      }
      after = segment.last_id;
      await packer.packAll();
    }
    await packer.close();
    expect(seen.sort()).toEqual([1, 2, 3, 4, 5]);
    expect(await db.read.prisma.errlogSegment.count()).toBe(1);
  });

  it('take their segment with them where it has no others', async () => {
    await using store = await openStore();
    const { db } = store;
    await appendTexts(db, ['one', 'two'], NOW_S);
    const packer = createPacker(db);
    await packer.packAll();
    await eraseLines(db, packer, { matches: () => true }, false);
    await packer.close();
    expect(await db.read.prisma.errlogSegment.count()).toBe(0);
    // Their ids are not used again.
    await appendTexts(db, ['three'], NOW_S);
    expect((await readAllLines(db)).map(({ id }) => id)).toEqual([3]);
  });

  it('are gone, also those that arrive while others are erased', async () => {
    await using store = await openStore();
    const { db } = store;
    await appendTexts(db, ['old secret', 'rest'], NOW_S);
    const packer = createPacker(db);
    const { sql } = db.read;
    let hasArrived = false;
    // A batch comes after the first pass has found no more segments.
    const late: Sql = {
      all: (...args) => sql.all(...args),
      run: (...args) => sql.run(...args),
      async get<R>(...args: Parameters<Sql['get']>) {
        const row = await sql.get<R>(...args);
        if (!hasArrived && row === undefined && args[0].sqlite.includes('FROM errlog_segment')) {
          hasArrived = true;
          await appendTexts(db, ['late secret'], NOW_S);
        }
        return row;
      },
    };
    const isSecret = { matches: ({ log }: { log: string }) => log.includes('secret') };
    const own = Object.create(db, { read: { value: { ...db.read, sql: late } } });
    await eraseLines(own, packer, isSecret, false);
    await packer.close();
    expect((await readAllLines(db)).map(({ log }) => log)).toEqual(['rest']);
  });

  it('are gone, whichever write is the last before a crash and a second attempt', async () => {
    await using api = await startApi();
    const { db } = api.server.deps;
    await api.server.jobs.stop();
    let [secret, kept] = ['', 0];
    const failed = await failAtEachWrite(db, {
      async prepare() {
        secret = `Zq9#${word()}`;
        await send(api, [`first ${secret}`, 'rest'], 5);
        await send(api, [`second ${secret}`, `other ${secret}`], 6);
        await api.server.jobs.runAll();
        kept += 1;
      },
      async run(on) {
        const packer = createPacker(on);
        const matches = ({ log }: { log: string }) => log.includes(secret);
        await eraseLines(on, packer, { matches }, false).finally(() => packer.close());
      },
      async check() {
        const logs = (await readAllLines(db)).map(({ log }) => log);
        expect(logs).toEqual(Array(kept).fill('rest'));
        // The search index has not learnt these groups again.
        expect(await db.read.sql.get(STALE_IN_INDEX)).toEqual({ n: 0 });
        expect(await db.read.prisma.errlog.count({ where: { textStale: true } })).toBeGreaterThan(0);
        const groups = await db.read.prisma.errlog.findMany({ select: { log: true } });
        expect(groups.some(({ log }) => log.includes(secret))).toBe(false);
      },
    });
    expect(failed).toBeGreaterThan(2);
  });
});
