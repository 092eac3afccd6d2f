// Several processes on one database, and its state after one is killed.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { atMost } from '../../../../test/thoroughness.ts';
import { type DatabaseOptions, openDatabase, statement } from '../../src/db/index.ts';
import { createPlace, dialects, open, postgres } from './databases.ts';

const script = fileURLToPath(new URL('child.ts', import.meta.url));
const cut = statement('SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = ?');
const rows = statement('SELECT type, count(*) AS n FROM event GROUP BY type');

interface Child {
  readonly process: ChildProcessByStdio<null, Readable, null>;
  readonly lines: AsyncIterableIterator<string>;
}

function start(mode: 'hold' | 'write', place: DatabaseOptions): Child {
  const child = spawn(process.execPath, [script, mode, JSON.stringify(place)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'compiled') },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { process: child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

describe.each(dialects)('%s', (dialect) => {
  it('keeps every acknowledged write, and no half of one, when the process is killed', {
    timeout: 60_000,
  }, async () => {
    const place = await createPlace(dialect);
    await (await openDatabase(place)).close();
    const acknowledged: string[] = [];
    for (const kills of [atMost(60, 300), atMost(120, 700)]) {
      const { process: child, lines } = start('write', place);
      const before = acknowledged.length;
      for await (const line of lines) {
        if (line !== 'open') acknowledged.push(line);
        if (acknowledged.length - before === kills) child.kill('SIGKILL');
      }
      // The names are used again by the next process.
      const database = await openDatabase(place);
      const stored = new Map(
        (await database.read.sql.all<{ type: string; n: number }>(rows)).map((row) => [row.type, row.n]),
      );
      const seen = Map.groupBy(acknowledged, (name) => name);
      for (const [name, times] of seen) expect(stored.get(name) ?? 0).toBeGreaterThanOrEqual(2 * times.length);
      for (const count of stored.values()) expect(count % 2).toBe(0);
      await database.write((tx) => tx.prisma.event.create({ data: { type: 'again', data: '', timeMs: 1n } }));
      await database.write((tx) => tx.prisma.event.deleteMany({ where: { type: 'again' } }));
      await database.close();
    }
  });
});

describe('sqlite', () => {
  it('belongs to one process until it ends, however it ends', async () => {
    const place = await createPlace('sqlite');
    const { process: holder, lines } = start('hold', place);
    expect((await lines.next()).value).toBe('open');
    const startMs = performance.now();
    const refused = openDatabase(place);
    const directory = place.kind === 'sqlite' ? place.dataDir : '';
    await expect(refused).rejects.toMatchObject({ kind: 'locked', message: expect.stringContaining(directory) });
    expect(performance.now() - startMs).toBeLessThan(2000);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const database = await open(place);
    await expect(openDatabase(place)).rejects.toMatchObject({ kind: 'locked' });
    await database.ping();
  });
});

describe('postgresql', () => {
  it('is migrated once by many that start at the same time', async () => {
    const place = await createPlace('postgresql');
    const databases = await Promise.all(Array.from({ length: 10 }, () => openDatabase(place)));
    const migrations = statement(
      'SELECT migration_name, count(*) AS n FROM _prisma_migrations GROUP BY migration_name',
    );
    for (const database of databases) {
      const rows = await database.read.sql.all<{ n: number }>(migrations);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.every(({ n }) => n === 1)).toBe(true);
    }
    await Promise.all(databases.map((database) => database.close()));
  });

  it('signals to every process', async () => {
    const place = await createPlace('postgresql');
    const [here, there] = [await open(place), await open(place)];
    let heard = Promise.withResolvers<void>();
    there.onSignal(() => heard.resolve());
    // Once when it listens, then for each signal.
    await heard.promise;
    heard = Promise.withResolvers<void>();
    await here.write(async (tx) => tx.signal());
    await heard.promise;
  });

  it('answers again by itself when its connections were cut', async () => {
    const place = await createPlace('postgresql');
    const database = await open(place);
    let heard = Promise.withResolvers<void>();
    database.onSignal(() => heard.resolve());
    await heard.promise;
    heard = Promise.withResolvers<void>();
    const admin = await open({ kind: 'postgresql', url: await (await postgres()).createDatabase() });
    const name = place.kind === 'postgresql' ? new URL(place.url).pathname.slice(1) : '';
    const inFlight = database.write(async (tx) => {
      await tx.sql.all(rows);
      await admin.read.sql.get(cut, name);
      await tx.sql.all(rows);
    });
    await expect(inFlight).rejects.toMatchObject({ kind: 'unavailable' });
    // The listener has reconnected, and signals because it may have missed a signal.
    await heard.promise;
    await database.write(async (tx) => tx.signal());
    await database.ping();
  });
});
