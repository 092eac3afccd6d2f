// Backups on a schedule, on the database of a server.
import fs, { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseError } from '@quarterdeck/core/db';
import { readSetting, removeSettings, storeSetting } from '@quarterdeck/core/sql';
import { beforeEach, describe, expect, it } from 'vitest';
import { runHere } from '../../test/command-line.ts';
import { failAtEachWrite } from '../../test/failing-writes.ts';
import { DIALECT, startApi, type TestApi, useApi } from '../../test/start-api.ts';
import { createBackups, LAST_BACKUP, LAST_BACKUP_ERROR } from './backups.ts';
import { makeBackup } from './make-backup.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 10, 23, 10);

const api = useApi();
let folder: string;
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
  return {
    format: 'quarterdeck-backup',
    version: 2,
    name: basename(file),
    quarterdeck: '1.0.0',
    database: DIALECT,
    ...numbers,
  };
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
  it('makes a missed backup once after the start, then one at each time, and keeps as many as asked for', async () => {
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

  it('keeps the old ones while stored data is damaged: they may have it whole', async () => {
    const { db } = api.server.deps;
    const damage = { segments: [], pages: ['Page 7: never used'], pass: { startedMs: 0, position: null } };
    await db.write((tx) => storeSetting(tx, 'damage', JSON.stringify(damage)));
    const { backups, clock, logged } = create();
    for (let day = 0; day < 5; day += 1) {
      await backups.run();
      clock.nowMs += DAY_MS;
    }
    await db.write((tx) => removeSettings(tx, ['damage']));
    expect(databases()).toHaveLength(5);
    expect(logged.join()).toContain('old backups are kept');
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
    let release = Promise.withResolvers<void>();
    const slowly: typeof makeBackup = async (...args) => {
      copies += 1;
      await release.promise;
      return await makeFiles(...args);
    };
    const servers = [create(slowly), create(slowly), create(slowly)];
    /** Lets all begin; the backup ends once the others have ended. */
    const beginAll = async (begin: (server: (typeof servers)[number]) => Promise<unknown>) => {
      release = Promise.withResolvers();
      let ended = 0;
      const outcomes = servers.map((server) =>
        begin(server).finally(() => {
          ended += 1;
          if (ended === servers.length - 1) release.resolve();
        }),
      );
      return (await Promise.allSettled(outcomes)).map(({ status }) => status).sort();
    };
    await beginAll(({ backups }) => backups.run());
    for (const { backups } of servers) await backups.run();
    expect([copies, databases().length]).toEqual([1, 1]);
    expect(await beginAll(({ backups }) => backups.make())).toEqual(['fulfilled', 'rejected', 'rejected']);
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

  it('makes none where another server made it between the look at the schedule and the lease', async () => {
    const { deps } = api.server;
    const { prisma } = deps.db.read;
    const other = create();
    other.clock.nowMs -= MINUTE_MS;
    // The other one makes it while this one reads when the last one was made.
    const findMany = async (query: object) => {
      const rows = await prisma.setting.findMany(query);
      if (databases().length === 0) await other.backups.make();
      return rows;
    };
    const read = { ...deps.db.read, prisma: { ...prisma, setting: { findMany } } };
    const { backups } = create(makeFiles, 3, { ...deps, db: Object.create(deps.db, { read: { value: read } }) });
    await backups.run();
    expect(databases()).toHaveLength(1);
  });

  it('names a file that exists, whichever write is the last before a crash', async () => {
    const { deps } = api.server;
    let attempts = 0;
    const failed = await failAtEachWrite(deps.db, {
      prepare: () => deps.db.write((tx) => removeSettings(tx, [LAST_BACKUP, LAST_BACKUP_ERROR])),
      async run(db) {
        const { backups, clock } = create(makeFiles, 3, { ...deps, db });
        // Longer than the lease of a server that has ended without giving it back.
        attempts += 1;
        clock.nowMs += attempts * 2 * MINUTE_MS;
        await backups.make();
      },
      check: async () => expect(existsSync((await stateOf(LAST_BACKUP)).file)).toBe(true),
    });
    expect(failed).toBeGreaterThanOrEqual(3);
  });

  it('tries again at once after a failure of the future: the clock was set back', async () => {
    const { backups, clock } = create(async () => {
      throw new DatabaseError('io', 'the folder is away');
    });
    await backups.run();
    clock.nowMs -= 2 * 60 * MINUTE_MS;
    await backups.run();
    expect(backups.stats()).toMatchObject({ failures: 2 });
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
    const { backups, clock } = create(makeBackup);
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
    await using own = await startApi({ BACKUP_DIR: folder });
    const env = { QUARTERDECK_DATA_DIR: own.sharing['DATA_DIR'] ?? '', QUARTERDECK_BACKUP_DIR: folder };
    const { code, err } = await runHere(['backup'], env);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^\S+Z\.db holds \d+ bytes; it needs the secret\.key of \S+ to be of use; the settings of the running server counted\n$/,
    );
    const here = await runHere(['backup', join(folder, 'own.db')], {
      ...env,
      QUARTERDECK_BACKUP_PASSPHRASE: 'a long passphrase',
    });
    expect(here.err).toMatch(/its key opens with the passphrase; the settings of this command counted\n$/);
    rmSync(join(folder, 'own.db'));
    await using without = await startApi();
    const refused = await runHere(['backup'], { ...env, QUARTERDECK_DATA_DIR: without.sharing['DATA_DIR'] ?? '' });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('the running server makes this backup') });
    expect(databases()).toHaveLength(1);
    await own.server.jobs.runAll();
    expect(databases(), 'no second one is due').toHaveLength(1);
  },
);

describe.skipIf(DIALECT === 'postgresql')('the files of a backup', () => {
  const settings = (backupPassphrase?: string) => ({
    dataDir: api.sharing['DATA_DIR'] ?? '',
    databaseUrl: undefined,
    backupPassphrase,
  });

  /** Calls `before` ahead of each call that makes a file durable or gives it its name, until the returned function. */
  function watchFiles(before: (call: string, file: string) => void): () => void {
    const { openSync, fsyncSync, linkSync } = fs;
    const files = new Map<number, string>();
    fs.openSync = (file, ...rest) => {
      const descriptor = openSync(file, ...rest);
      files.set(descriptor, String(file));
      return descriptor;
    };
    fs.fsyncSync = (descriptor) => {
      before('sync', basename(files.get(descriptor) ?? ''));
      fsyncSync(descriptor);
    };
    fs.linkSync = (from, to) => {
      before('name', basename(String(to)));
      linkSync(from, to);
    };
    syncBuiltinESMExports();
    return () => {
      Object.assign(fs, { openSync, fsyncSync, linkSync });
      syncBuiltinESMExports();
    };
  }

  it('are durable before they get their names, that of the database as the last', async () => {
    const calls: string[] = [];
    const unwatch = watchFiles((call, file) => void calls.push(`${call} ${file}`));
    await makeBackup(settings('a long passphrase'), join(folder, 'a.db'), { nowMs: START_MS }).finally(unwatch);
    const durable = calls.splice(0, 3).sort();
    expect(durable).toEqual(['sync a.db.json.part', 'sync a.db.key.part', 'sync a.db.part']);
    expect(calls).toEqual(['name a.db.key', 'name a.db.json', 'name a.db', `sync ${basename(folder)}`]);
  });

  it('are all there or none, at whichever call it fails, and the next attempt makes them', async () => {
    const file = join(folder, 'a.db');
    let failures = 0;
    for (let isWhole = false; !isWhole; ) {
      let calls = 0;
      const unwatch = watchFiles(() => {
        calls += 1;
        if (calls > failures) throw Object.assign(new Error('broken'), { code: 'EIO', syscall: 'fsync' });
      });
      const outcome = makeBackup(settings(), file, { nowMs: START_MS }).finally(unwatch);
      isWhole = await outcome.then(
        () => true,
        () => false,
      );
      expect(readdirSync(folder)).toHaveLength(isWhole ? 2 : 0);
      failures += 1;
    }
    expect(failures).toBe(6);
  });
});
