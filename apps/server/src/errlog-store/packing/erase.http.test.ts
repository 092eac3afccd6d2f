// Erasing lines while a server runs: afterwards nothing of them is left on the disk.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { statement } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { readAllLines } from '../../../test/all-lines.ts';
import { DIALECT, startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { type EraseQuery, eraseLines } from './erase.ts';
import { createPacker } from './packer.ts';

const EVENTS = statement('SELECT data FROM event');

const holding = (secret: string): EraseQuery => ({ matches: ({ log }) => log.includes(secret) });

async function erase(api: TestApi, query: EraseQuery, dryRun = false) {
  const { db } = api.server.deps;
  const packer = createPacker(db, api.now);
  try {
    return await eraseLines(db, packer, query, dryRun);
  } finally {
    await packer.close();
  }
}

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
  it('are gone from lines, groups, the search and events; the others stay with their ids', async () => {
    await using api = await startApi();
    const { db } = api.server.deps;
    const secret = `hunter2${word()}`;
    const { group, kept } = await sendLines(api, secret);
    await send(api, [`a second group of ${secret}`], 2);
    const before = await readAllLines(db);
    const { count } = await api.admin.errlog.get({ params: { id: group } });

    const wanted = { lines: 32, groups: 2, copies: [] };
    expect(await erase(api, holding(secret), true)).toEqual(wanted);
    expect(await readAllLines(db)).toEqual(before);
    expect(await erase(api, holding(secret))).toEqual(wanted);

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
    expect(await erase(api, holding(secret))).toMatchObject({ lines: 0, groups: 0 });
  });

  it('take their segment with them where it has no others', async () => {
    await using api = await startApi();
    const { db } = api.server.deps;
    await send(
      api,
      ['one', 'two'].map((name) => `${name} ${word()}`),
    );
    await api.server.jobs.runAll();
    await erase(api, { matches: () => true });
    expect(await readAllLines(db)).toEqual([]);
    expect(await db.read.prisma.errlogSegment.count()).toBe(0);
    // Their ids are not used again.
    await send(api, ['three']);
    expect((await readAllLines(db)).map(({ id }) => id)).toEqual([3]);
  });
});

describe.runIf(DIALECT === 'sqlite')('the data folder', () => {
  it('holds nothing of erased lines, nor of what was deleted before', async () => {
    await using api = await startApi();
    const dataDir = api.sharing['DATA_DIR'] ?? '';
    const secret = `Zq9#${word()}-${word()}`;
    await sendLines(api, secret);
    expect(filesWith(dataDir, secret).length).toBeGreaterThan(0);
    writeFileSync(join(dataDir, 'quarterdeck.db.before-upgrade'), `has ${secret}`);
    const { copies } = await erase(api, holding(secret));
    expect(copies).toEqual(['quarterdeck.db.before-upgrade']);
    expect(filesWith(dataDir, secret)).toEqual(copies);
    // Parts of the secret may be in an index of pieces, or in compressed bytes.
    expect(filesWith(dataDir, secret.slice(2, -2))).toEqual(copies);
    await send(api, ['the server goes on']);
    expect(await readAllLines(api.server.deps.db)).toHaveLength(271);
    await api.server.stop();
    expect(filesWith(dataDir, secret)).toEqual(copies);
  });
});
