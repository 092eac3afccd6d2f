// A backup while the server is writing, and a server that starts on it.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@quarterdeck/core/db';
import { createClient, signIn } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere, runProcess } from '../../test/command-line.ts';
import { tablesOf } from '../../test/contents.ts';
import { totpCode } from '../../test/fixtures/fixture-people.ts';
import { DIALECT, PASSWORD, startApi, type TestApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';

let api: TestApi;
const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-backup-'));
let files = 0;
function newFile(): string {
  files += 1;
  return join(folder, `copy-${files}.db`);
}
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const dataDir = () => api.sharing['DATA_DIR'] ?? '';
const run = (file: string, settings: Record<string, string> = {}) =>
  runProcess(['backup', file], {
    QUARTERDECK_DATA_DIR: dataDir(),
    QUARTERDECK_DATABASE_URL: api.sharing['DATABASE_URL'] ?? '',
    ...settings,
  });

/** A data folder with a backup in it, as somebody would make one who has lost everything else. */
function restore(file: string, keyOf = dataDir()): string {
  const restored = join(folder, `restored-${files}`);
  mkdirSync(restored, { mode: 0o700 });
  copyFileSync(file, join(restored, 'quarterdeck.db'));
  copyFileSync(join(keyOf, 'secret.key'), join(restored, 'secret.key'));
  return restored;
}

describe.skipIf(DIALECT === 'postgresql')('a backup', () => {
  it('holds all acknowledged writes, and no partial ones, while the server writes', async () => {
    const tokens: string[] = [];
    const logs: string[] = [];
    let writing = true;
    const writers = Array.from({ length: 4 }, async (_, lane) => {
      while (writing) {
        const log = word();
        if (lane % 2 === 0) tokens.push((await api.admin.apiToken.create({ body: { name: log } })).token);
        else {
          await api.admin.errlog.append({
            body: [
              { level: 4, log },
              { level: 4, log, count: 2 },
            ],
          });
          logs.push(log);
        }
      }
    });
    const file = newFile();
    const during = async () => {
      await expect.poll(() => Math.min(tokens.length, logs.length), { timeout: 20_000 }).toBeGreaterThan(20);
      const before = { tokensBefore: [...tokens], logsBefore: [...logs] };
      const result = await run(file);
      return { ...result, ...before, writtenMeanwhile: tokens.length - before.tokensBefore.length };
    };
    const { code, out, err, tokensBefore, logsBefore, writtenMeanwhile } = await during().finally(() => {
      writing = false;
    });
    await Promise.all(writers);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toMatch(/^\S+copy-\d+\.db holds \d+ bytes; it needs the secret\.key of \S+ to be of use\n$/);
    expect(writtenMeanwhile).toBeGreaterThan(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith('copy-'))).toEqual(['copy-1.db', 'copy-1.db.json']);

    await using again = await startApi({ DATA_DIR: restore(file) });
    for (const token of tokensBefore) {
      expect((await createClient({ url: again.url, apiToken: token }).user.me()).username).toBe('admin');
    }
    // Signed in before the backup, and still.
    expect((await createClient({ url: again.url, sessionToken: api.adminToken }).user.me()).username).toBe('admin');
    const { data } = await again.admin.errlog.list({ query: { page_size: 10_000 } });
    const counts = new Map(data.map(({ log, count }) => [log, count]));
    for (const log of logsBefore) expect(counts.get(log)).toBe(3);
    for (const count of counts.values()) expect(count).toBe(3);
    expect(await again.admin.audit.verify()).toMatchObject({ intact: true });
    const { prisma } = again.server.deps.db.read;
    const made = await prisma.audit.count({ where: { action: 'api_token.create' } });
    expect(await prisma.apiToken.count()).toBe(made);
  });

  it('equals the database in every table', async () => {
    await api.server.jobs.runAll();
    const file = newFile();
    expect((await run(file)).code).toBe(0);
    const copy = await openDatabase({ kind: 'sqlite', dataDir: restore(file) });
    try {
      expect(await tablesOf(copy)).toEqual(await tablesOf(api.server.deps.db));
    } finally {
      await copy.close();
    }
  });

  it('works without a running server, and is restored with tokens and second factors', async () => {
    await using own = await startApi();
    const { client, username, token } = await own.person('viewer');
    const { secret } = await client.user.beginSecondFactor({ body: { password: PASSWORD } });
    await client.user.confirmSecondFactor({ body: { otp: totpCode(secret, own.now()) } });
    const settings = {
      QUARTERDECK_DATA_DIR: own.sharing['DATA_DIR'] ?? '',
      QUARTERDECK_BACKUP_PASSPHRASE: 'a passphrase for the tests',
    };
    await own.server.stop();
    const file = newFile();
    expect(await run(file, settings)).toMatchObject({ code: 0 });
    const place = mkdtempSync(join(folder, 'place-'));
    expect(await runHere(['restore', file], { ...settings, QUARTERDECK_DATA_DIR: place })).toMatchObject({ code: 0 });
    await using again = await startApi({ DATA_DIR: place }, { startMs: own.now() + 60_000 });
    expect((await createClient({ url: again.url, sessionToken: own.adminToken }).user.me()).username).toBe('admin');
    expect((await createClient({ url: again.url, sessionToken: token }).user.me()).username).toBe(username);
    const otp = totpCode(secret, again.now());
    const signed = await signIn({ url: again.url, username, password: PASSWORD, otp: () => otp });
    expect((await signed.client.user.me()).second_factor).toBe(true);
    expect(await again.admin.audit.verify()).toMatchObject({ intact: true });
  });

  it('never replaces a file, and leaves no partial file', async () => {
    const file = newFile();
    writeFileSync(file, 'mine');
    const there = await run(file);
    expect(there.code).toBe(1);
    expect(there.err).toMatch(/^quarterdeckd: \S+ already exists; it was not changed\.\n$/);
    expect(statSync(file).size).toBe(4);
    const nowhere = await run(join(folder, 'no', 'such', 'folder', 'x.db'));
    expect(nowhere.code).toBe(1);
    expect(nowhere.err).toMatch(/^quarterdeckd: \S+ cannot be written \(ENOENT\)\.\n$/);
    const elsewhere = await run(newFile(), { QUARTERDECK_DATA_DIR: folder });
    expect(elsewhere.err).toMatch(/is not the data folder of a started server/);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(existsSync(join(folder, `copy-${files}.db`))).toBe(false);
  });
});
