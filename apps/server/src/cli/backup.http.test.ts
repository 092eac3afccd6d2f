// A backup beside a running server, and a server that starts on it.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@quarterdeck/core/db';
import { createClient, signIn } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/new-folder.ts';
import { runHere } from '../../test/command-line.ts';
import { tablesOf } from '../../test/contents.ts';
import { totpCode } from '../../test/fixtures/fixture-people.ts';
import { DIALECT, PASSWORD, startApi, useApi } from '../../test/start-api.ts';

const api = useApi();
const folder = newFolder();
let files = 0;
function newFile(): string {
  files += 1;
  return join(folder, `copy-${files}.db`);
}

const dataDir = () => api.sharing['DATA_DIR'] ?? '';
const run = (file: string, settings: Record<string, string> = {}) =>
  runHere(['backup', file], {
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
    const made = await run(file, settings);
    expect(made).toMatchObject({ code: 0, err: expect.stringMatching(/^\S+\.db holds \d+ bytes; its key opens with/) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
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
