// Connections to the primary of several hosts, before and after the promotion of a standby.
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../../test/free-port.ts';
import { openDatabase, openThreadReader, statement } from '../../src/db/open/index.ts';
import { PrimaryClient } from '../../src/db/postgresql/primary-client.ts';
import { PrimaryHosts } from '../../src/db/postgresql/primary-hosts.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { findInstalled } from '../postgres-programs.ts';
import { addressOfBoth, runSql, startStandby } from '../postgres-standby.ts';
import { open } from './databases.ts';

const installed = findInstalled();
const NOTE = statement("INSERT INTO event (type, data, time_ms) VALUES (?, '', 1)");
const NOTES = statement('SELECT type FROM event ORDER BY id');
const PORT = statement("SELECT current_setting('port')::int AS port");
const portOf = (url: string) => Number(new URL(url).port);

const servers: { stop(): Promise<void> }[] = [];
afterAll(async () => {
  for (const server of servers) await server.stop();
});

async function startPair() {
  if (installed === undefined) throw new Error('PostgreSQL is not installed.');
  const primary: PostgresServer = await startPostgres([], undefined, installed);
  servers.unshift(primary);
  const url = await primary.createDatabase();
  const standby = await startStandby(url, installed, true);
  servers.unshift(standby);
  return { primary, url, standby, both: addressOfBoth(url, standby.url), reversed: addressOfBoth(standby.url, url) };
}

async function connected(url: string): Promise<PrimaryClient> {
  const client = new PrimaryClient(new PrimaryHosts(url), { application_name: 'test' });
  onTestFinished(() => client.end());
  return await client.connect();
}

describe.skipIf(installed === undefined)('an address with a primary and a standby', () => {
  it('leads to the primary, before and after a promotion', { timeout: 60_000 }, async () => {
    const { primary, url, standby, both, reversed } = await startPair();
    const database = await open({ kind: 'postgresql', url: reversed });
    await database.write((tx) => tx.sql.run(NOTE, 'before'));
    const reader = await openThreadReader({ dialect: 'postgresql', url: reversed });
    onTestFinished(() => reader.close());
    expect(await reader.snapshot((sql) => sql.get(PORT))).toEqual({ port: portOf(url) });
    for (const address of [both, reversed, `${both}?target_session_attrs=primary`]) {
      expect((await connected(address)).port).toBe(portOf(url));
    }

    await expect(openDatabase({ kind: 'postgresql', url: standby.url })).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/is a standby\.$/),
    });

    for (const pid of primary.processes()) process.kill(pid, 'SIGKILL');
    await expect(database.read.sql.all(NOTES)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(connected(both)).rejects.toMatchObject({ kind: 'unavailable' });
    await standby.promote();
    await expect.poll(() => database.ping().then(() => 'answers', String)).toBe('answers');
    await database.write((tx) => tx.sql.run(NOTE, 'after'));
    expect(await database.read.sql.all(NOTES)).toEqual([{ type: 'before' }, { type: 'after' }]);
    const readerPort = () => reader.snapshot((sql) => sql.get(PORT)).catch(String);
    await expect.poll(readerPort).toEqual({ port: portOf(standby.url) });
    expect((await connected(both)).port).toBe(portOf(standby.url));
  });
});

describe('a write that waits for a synchronous standby', () => {
  it('is not acknowledged when the wait is cancelled', async () => {
    const server = await startPostgres();
    servers.unshift(server);
    const url = await server.createDatabase();
    const database = await open({ kind: 'postgresql', url });
    await runSql(server.url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await runSql(server.url, 'SELECT pg_reload_conf()');
    const waiting = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    const write = database.write((tx) => tx.sql.run(NOTE, 'unconfirmed')).catch((error: unknown) => error);
    await expect.poll(async () => (await runSql(server.url, waiting)).rowCount).toBe(1);
    expect(await write).toMatchObject({ kind: 'unavailable' });
    expect(await database.read.sql.all(NOTES)).toEqual([{ type: 'unconfirmed' }]);
  });
});

describe('an address with several hosts', () => {
  it('skips a host that cannot be reached, and names it where no other is left', async () => {
    const server = await startPostgres();
    servers.unshift(server);
    const nobody = new URL(server.url);
    nobody.port = String(await freePort());
    expect((await connected(addressOfBoth(nobody.href, server.url))).port).toBe(portOf(server.url));
    const refused = ({ host }: URL) => `${host} cannot be reached: connect ECONNREFUSED ${host} (ECONNREFUSED)`;
    await expect(connected(addressOfBoth(nobody.href, nobody.href))).rejects.toMatchObject({
      kind: 'unavailable',
      message: `No host of the database is the primary: ${[nobody, nobody].map(refused).join('; ')}.`,
    });
    const denied = new URL(server.url);
    denied.password = 'wrong';
    await expect(connected(addressOfBoth(denied.href, nobody.href))).rejects.toMatchObject({ kind: 'denied' });
  });

  it('sets up sessions without parameters of the start, and keeps a stronger synchronous_commit', async () => {
    const server = await startPostgres();
    servers.unshift(server);
    const url = await server.createDatabase();
    const name = new URL(url).pathname.slice(1);
    await runSql(url, `ALTER DATABASE ${name} SET synchronous_commit = remote_apply`);
    const database = await open({ kind: 'postgresql', url });
    const settings = statement(
      `SELECT name, setting, source FROM pg_settings WHERE source IN ('session', 'client')
       AND name IN ('synchronous_commit', 'statement_timeout', 'lock_timeout') ORDER BY name`,
    );
    expect(await database.read.sql.all(settings)).toEqual([
      { name: 'lock_timeout', setting: '2000', source: 'session' },
      { name: 'statement_timeout', setting: '5000', source: 'session' },
      { name: 'synchronous_commit', setting: 'remote_apply', source: 'session' },
    ]);
  });
});
