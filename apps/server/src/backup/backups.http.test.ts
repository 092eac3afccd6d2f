// Backups on a schedule, on the database of a server.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseError } from '@quarterdeck/core/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runProcess } from '../../test/command-line.ts';
import { DIALECT, startApi, type TestApi } from '../../test/start-api.ts';
import { readSetting, removeSettings } from '../sql/setting.repo.ts';
import { createBackups, LAST_BACKUP, LAST_BACKUP_ERROR } from './backups.ts';
import type { makeBackup } from './make-backup.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 10, 23, 10);

let api: TestApi;
let folder: string;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quarterdeck-backups-'));
  await api.server.deps.db.write(async (tx) => {
    await removeSettings(tx, [LAST_BACKUP, LAST_BACKUP_ERROR]);
  });
  return () => rmSync(folder, { recursive: true, force: true });
});

/** Writes the files of a backup without a copy of the database. */
const makeFiles: typeof makeBackup = async (_, file, { nowMs }) => {
  writeFileSync(file, 'database');
  writeFileSync(`${file}.json`, 'manifest');
  const numbers = { timeMs: nowMs, bytes: 8, sha256: 'ab', keySha256: null, migrations: [], rows: {} };
  return { format: 'quarterdeck-backup', version: 1, quarterdeck: '1.0.0', database: DIALECT, ...numbers };
};

/** A clock, and backups of a server that it drives. */
function create(make: typeof makeBackup = makeFiles, keep = 3, { db } = api.server.deps) {
  const clock = { nowMs: START_MS };
  const logged: string[] = [];
  const log = {
    info: (_: unknown, text?: string) => logged.push(String(text)),
  } as never as TestApi['server']['deps']['log'];
  log.warn = log.info;
  const settings = {
    dataDir: api.sharing['DATA_DIR'] ?? '',
    databaseUrl: api.sharing['DATABASE_URL'] || undefined,
    backupPassphrase: undefined,
    backupDir: folder,
    backupAt: ['03:00'],
    backupKeep: keep,
  };
  const backups = createBackups(settings, { db, log, now: () => clock.nowMs, makeBackup: make });
  return { backups, clock, logged };
}

const databases = () => readdirSync(folder).filter((name) => /\.(db|pgdump)$/.test(name));
const stateOf = async (name: string) => {
  const text = await readSetting(api.server.deps.db.read, name);
  return text === undefined ? undefined : JSON.parse(text);
};

describe('the schedule', () => {
  it('makes a missed backup once after the start, then one at each time, and keeps as many as told', async () => {
    const { backups, clock } = create();
    for (let minute = 0; minute < 5; minute += 1) {
      await backups.run();
      clock.nowMs += MINUTE_MS;
    }
    expect(databases()).toHaveLength(1);
    const last = await stateOf(LAST_BACKUP);
    expect(last).toEqual({ timeMs: START_MS, file: join(folder, databases()[0] ?? ''), bytes: 8, sha256: 'ab' });
    writeFileSync(join(folder, 'quarterdeck-00000000-20200101T000000Z.db'), 'of another installation');
    for (let day = 0; day < 6; day += 1) {
      clock.nowMs += DAY_MS;
      await backups.run();
      await backups.run();
    }
    expect(databases()).toHaveLength(4);
    expect(databases()[0]).toBe('quarterdeck-00000000-20200101T000000Z.db');
    clock.nowMs += 30_000;
    expect(backups.stats()).toMatchObject({ ageS: 30, bytes: 8, made: 7, failures: 0 });
  });

  it('makes none for a server that starts after the last one was made', async () => {
    await create().backups.run();
    const { backups, clock } = create();
    clock.nowMs += MINUTE_MS;
    await backups.run();
    expect(databases()).toHaveLength(1);
    expect(backups.stats()).toMatchObject({ ageS: 60, made: 0 });
  });

  it('makes one where several servers, or a command, begin at once', async () => {
    let copies = 0;
    const slowly: typeof makeBackup = async (...args) => {
      copies += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return await makeFiles(...args);
    };
    const servers = [create(slowly), create(slowly), create(slowly)];
    await Promise.all(servers.map(({ backups }) => backups.run()));
    for (const { backups } of servers) await backups.run();
    expect([copies, databases().length]).toEqual([1, 1]);
    const [first, second] = await Promise.allSettled(servers.map(({ backups }) => backups.make()));
    expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected']);
  });

  it.skipIf(DIALECT === 'sqlite')('keeps that of another server after this one was stopped for a while', async () => {
    await using other = await startApi(api.sharing);
    const second = create(makeFiles, 3, other.server.deps);
    const first = create(async (settings, file, options) => {
      second.clock.nowMs += 2 * MINUTE_MS;
      await second.backups.run();
      return await makeFiles(settings, file, options);
    });
    await first.backups.run();
    expect(await stateOf(LAST_BACKUP)).toMatchObject({ timeMs: START_MS + 2 * MINUTE_MS });
    expect(databases()).toEqual([expect.stringMatching(/100200Z/)]);
    expect(first.backups.stats()).toMatchObject({ made: 0, failures: 0 });
    await first.backups.run();
    expect(databases()).toHaveLength(1);
  });

  it('ends with the server, which is no failure', async () => {
    const begun = Promise.withResolvers<void>();
    const endless: typeof makeBackup = (_settings, _file, { stop }) => {
      begun.resolve();
      return new Promise((_resolve, reject) => stop?.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    const { backups } = create(endless);
    const running = backups.run();
    await begun.promise;
    await expect(create().backups.make()).rejects.toMatchObject({ kind: 'busy' });
    backups.close();
    await running;
    await backups.run();
    expect(await stateOf(LAST_BACKUP_ERROR)).toBeUndefined();
    expect(backups.stats()).toMatchObject({ made: 0, failures: 0 });
  });

  it('keeps the old backups while it fails, says why once, and tries again', async () => {
    let fault: string | undefined;
    const { backups, clock, logged } = create(async (settings, file, options) => {
      if (fault !== undefined) throw new DatabaseError('full', fault.replace('FILE', file));
      return await makeFiles(settings, file, options);
    }, 1);
    await backups.run();
    const [kept] = databases();
    clock.nowMs += DAY_MS;
    fault = 'FILE cannot be written (ENOSPC).';
    for (let minute = 0; minute < 20; minute += 1) {
      clock.nowMs += MINUTE_MS;
      await backups.run();
    }
    expect(databases()).toEqual([kept]);
    expect(backups.stats()).toMatchObject({ failures: 4 });
    const warning = 'no backup could be made; the old ones are kept';
    expect(logged.filter((text) => text === warning)).toHaveLength(1);
    const error = await stateOf(LAST_BACKUP_ERROR);
    expect(error.message).toBe(`${folder} cannot be written (ENOSPC).`);
    expect(error.sinceMs).toBeLessThan(error.timeMs);
    fault = 'another fault';
    clock.nowMs += 10 * MINUTE_MS;
    await backups.run();
    expect(logged.filter((text) => text === warning)).toHaveLength(2);
    fault = undefined;
    clock.nowMs += 10 * MINUTE_MS;
    await backups.run();
    expect(await stateOf(LAST_BACKUP_ERROR)).toBeUndefined();
    expect(databases()).toHaveLength(1);
    expect(databases()).not.toEqual([kept]);
  });
});

it.skipIf(DIALECT === 'postgresql')(
  'names a folder that is away, does not create it, and goes on when it is back',
  async () => {
    const { makeBackup: real } = await import('./make-backup.ts');
    const { backups, clock } = create(real);
    renameSync(folder, `${folder}-away`);
    await backups.run();
    expect((await stateOf(LAST_BACKUP_ERROR)).message).toBe(`${folder} cannot be written (ENOENT).`);
    expect(existsSync(folder)).toBe(false);
    renameSync(`${folder}-away`, folder);
    clock.nowMs += 10 * MINUTE_MS;
    await backups.run();
    expect(readdirSync(folder)).toEqual([
      expect.stringMatching(/^quarterdeck-[0-9a-f]{8}-20261123T101000Z\.db$/),
      expect.stringMatching(/\.db\.json$/),
    ]);
  },
);

it.skipIf(DIALECT === 'postgresql')(
  'is what the command without a file makes, in the server that is running',
  async () => {
    const keep = { BACKUP_DIR: folder, BACKUP_PASSPHRASE: 'a passphrase for the tests' };
    mkdirSync(folder, { recursive: true });
    await using own = await startApi(keep);
    const env = { QUARTERDECK_DATA_DIR: own.sharing['DATA_DIR'] ?? '', QUARTERDECK_BACKUP_DIR: folder };
    const { code, err } = await runProcess(['backup'], env);
    expect(code).toBe(0);
    expect(err).toMatch(/^\S+Z\.db holds \d+ bytes; its key opens with the passphrase\n$/);
    expect(databases()).toHaveLength(1);
    await own.server.jobs.runAll();
    expect(databases(), 'no second one is due').toHaveLength(1);
  },
);
