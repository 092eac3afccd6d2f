// Cases that only PostgreSQL has: deadlocks, locked rows, lost connections.
import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase, statement, type Tx } from '../../src/db/open/index.ts';
import { createPool } from '../../src/db/postgresql/pool.ts';
import { createPostgresPrisma } from '../../src/db/postgresql/prisma.ts';
import { PostgresWrites } from '../../src/db/postgresql/write.ts';
import { connect, open, usePostgres } from './databases.ts';

const postgres = usePostgres();

/** Time limit of a write that should succeed, in milliseconds. */
const LIMIT_MS = 30_000;

const add = statement("INSERT INTO event (type, data, time_ms) VALUES (?, '', 1)");
const bump = statement('UPDATE event SET time_ms = time_ms + 1 WHERE type = ?');
const one = statement('SELECT 1 AS one');
const cut = statement('SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = ?');
const times = statement('SELECT type, time_ms FROM event ORDER BY type');

async function createUrl(): Promise<string> {
  return await (await postgres()).createDatabase();
}

describe('a write', () => {
  it.each([false, true])('is run again after a deadlock, with endsPipelined %s', async (endsPipelined) => {
    const database = await open({ kind: 'postgresql', url: await createUrl() });
    await database.write(async (tx) => {
      await tx.sql.run(add, 'a');
      await tx.sql.run(add, 'b');
    });
    const met = Promise.withResolvers<void>();
    const committed = Promise.withResolvers<void>();
    let arrived = 0;
    let runs = 0;
    const cross = (first: string, second: string) => {
      const work = async (tx: Tx) => {
        runs += 1;
        // Otherwise both may meet again.
        if (runs === 3) await committed.promise;
        await tx.sql.run(bump, first);
        arrived += 1;
        if (arrived === 2) met.resolve();
        await met.promise;
        const last = tx.sql.run(bump, second);
        if (endsPipelined) last.catch(() => {});
        else await last;
      };
      return database.write(work, { endsPipelined });
    };
    await Promise.all([cross('a', 'b'), cross('b', 'a')].map((one) => one.then(committed.resolve)));
    expect(runs).toBe(3);
    expect(await database.read.sql.all(times)).toEqual([
      { type: 'a', time_ms: 3 },
      { type: 'b', time_ms: 3 },
    ]);
  });

  it('sends its COMMIT behind the statements that it left running', async () => {
    const pool = createPool(await createUrl());
    onTestFinished(() => pool.end());
    const order: string[] = [];
    pool.on('connect', (client) => {
      const query = client.query.bind(client);
      client.query = async (sent: string | { text: string }) => {
        const [word = ''] = (typeof sent === 'string' ? sent : sent.text).split(' ');
        order.push(word);
        const answer = await query(sent as string);
        order.push(`answer to ${word}`);
        return answer;
      };
    });
    const writes = new PostgresWrites(pool, await createPostgresPrisma(pool), 'NOTIFY nobody', () => {}, LIMIT_MS);
    const work = async ({ sql }: Tx) => void sql.all(one);
    await writes.run(work, { endsPipelined: true });
    await writes.run(work);
    const sent = ['BEGIN', 'SELECT', 'COMMIT'];
    const answers = sent.map((word) => `answer to ${word}`);
    expect(order.filter((word) => [...sent, ...answers].includes(word))).toEqual([
      ...[...sent, ...answers],
      ...['BEGIN', 'SELECT', 'answer to BEGIN', 'answer to SELECT', 'COMMIT', 'answer to COMMIT'],
    ]);
  });

  it('is busy when another session keeps a row locked', async () => {
    const url = await createUrl();
    const database = await open({ kind: 'postgresql', url });
    await database.write((tx) => tx.sql.run(add, 'a'));
    const other = await connect(url);
    await other.query("BEGIN; UPDATE event SET time_ms = 5 WHERE type = 'a'");
    await expect(database.write((tx) => tx.sql.run(bump, 'a'))).rejects.toMatchObject({ kind: 'busy' });
    await other.query('ROLLBACK');
    await database.write((tx) => tx.sql.run(bump, 'a'));
  });

  it('is rolled back when it never ends, and leaves the pool as it was', async () => {
    const url = await createUrl();
    const database = await open({ kind: 'postgresql', url });
    const pool = createPool(url);
    onTestFinished(() => pool.end());
    const writes = new PostgresWrites(pool, await createPostgresPrisma(pool), 'NOTIFY nobody', () => {}, 200);
    const hung = Array.from({ length: 12 }, () =>
      writes.run(async (tx) => {
        await tx.prisma.event.create({ data: { type: 'hung', data: '', timeMs: 1n } });
        await new Promise(() => {});
      }),
    );
    const results = await Promise.allSettled(hung);
    expect(results.map((result) => result.status === 'rejected' && result.reason.kind)).toEqual(
      hung.map(() => 'timeout'),
    );
    // With the usual time limit.
    await new PostgresWrites(pool, await createPostgresPrisma(pool), 'NOTIFY nobody', () => {}, LIMIT_MS).run((tx) =>
      tx.sql.run(add, 'after'),
    );
    expect(await database.read.sql.all(times)).toEqual([{ type: 'after', time_ms: 1 }]);
  });

  it('does not report an error of the work as a fault of the database', async () => {
    const database = await open({ kind: 'postgresql', url: await createUrl() });
    const error = Object.assign(new Error('webhook'), { code: 'ECONNREFUSED' });
    const failing = database.write(() => Promise.reject(error));
    await expect(failing).rejects.toBe(error);
  });
});

describe('opening', () => {
  it('refuses a newer database, one of another program, and a missing one', async () => {
    const newer = await createUrl();
    await (await openDatabase({ kind: 'postgresql', url: newer })).close();
    const client = await connect(newer);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ('x', 'x', '20991231000000_future', now(), 1)`,
    );
    await expect(openDatabase({ kind: 'postgresql', url: newer })).rejects.toMatchObject({ kind: 'newer' });
    await client.query("INSERT INTO setting VALUES ('version', '9.8.7')");
    await expect(openDatabase({ kind: 'postgresql', url: newer })).rejects.toThrow('use 9.8.7 or newer');
    const foreign = await createUrl();
    await (await connect(foreign)).query('CREATE TABLE theirs (id int)');
    await expect(openDatabase({ kind: 'postgresql', url: foreign })).rejects.toMatchObject({ kind: 'foreign' });
    const missing = new URL(newer);
    missing.pathname = '/missing';
    await expect(openDatabase({ kind: 'postgresql', url: missing.href })).rejects.toMatchObject({ kind: 'denied' });
    missing.port = '1';
    await expect(openDatabase({ kind: 'postgresql', url: missing.href })).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });

  it('leaves no timer that would keep a finished process alive', async () => {
    const url = await createUrl();
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    await (await openDatabase({ kind: 'postgresql', url })).close();
    // A timer of the tests may run for a moment.
    while (timers() > before) await nextRound();
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('syncs every commit, whatever the server is set to', async () => {
    const url = await createUrl();
    const client = await connect(url);
    await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
    const database = await open({ kind: 'postgresql', url });
    const setting = statement("SELECT current_setting('synchronous_commit') AS value");
    expect(await database.write((tx) => tx.sql.get(setting))).toEqual({ value: 'on' });
  });
});

describe('an open database', () => {
  it('signals to every process', async () => {
    const url = await createUrl();
    const [here, there] = [await open({ kind: 'postgresql', url }), await open({ kind: 'postgresql', url })];
    let heard = Promise.withResolvers<void>();
    there.onSignal(() => heard.resolve());
    // Once when it listens, then for each signal.
    await heard.promise;
    heard = Promise.withResolvers<void>();
    await here.write(async (tx) => tx.signal());
    await expect(heard.promise).resolves.toBeUndefined();
  });

  it('answers again by itself when its connections were cut', async () => {
    const url = await createUrl();
    const database = await open({ kind: 'postgresql', url });
    let heard = Promise.withResolvers<void>();
    database.onSignal(() => heard.resolve());
    await heard.promise;
    heard = Promise.withResolvers<void>();
    const admin = await open({ kind: 'postgresql', url: await createUrl() });
    const inFlight = database.write(async (tx) => {
      await tx.sql.all(times);
      await admin.read.sql.get(cut, new URL(url).pathname.slice(1));
      await tx.sql.all(times);
    });
    await expect(inFlight).rejects.toMatchObject({ kind: 'unavailable' });
    // The listener has reconnected, and signals because it may have missed a signal.
    await heard.promise;
    await database.write(async (tx) => tx.signal());
    await database.ping();
  });
});
