// A failed start says why: what PostgreSQL or the system says, where, and what to do.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../../test/free-port.ts';
import { openDatabase } from '../../src/db/open/index.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { serverAccount } from '../postgres-programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-tls-'));
const file = (name: string) => join(folder, name);
let server: PostgresServer;

beforeAll(async () => {
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=db.test'];
  const out = ['-keyout', file('key.pem'), '-out', file('ca.pem')];
  execFileSync('openssl', [...request, '-addext', 'subjectAltName=DNS:db.test', ...out], { stdio: 'ignore' });
  const account = serverAccount();
  for (const name of ['', 'key.pem', 'ca.pem']) if (account) chownSync(file(name), account.uid, account.gid);
  const tls = ['ssl=on', `ssl_cert_file=${file('ca.pem')}`, `ssl_key_file=${file('key.pem')}`];
  server = await startPostgres(tls.flatMap((one) => ['-c', one]));
  await as(
    `CREATE ROLE limited LOGIN PASSWORD 'hunter2secret'; CREATE ROLE crowded LOGIN PASSWORD 'hunter2secret' CONNECTION LIMIT 0`,
  );
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function as(statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(statements);
  await client.end();
}

/** The address of the server with some parts changed. */
function address(
  parts: Partial<Record<'hostname' | 'port' | 'username' | 'password' | 'pathname' | 'search', string>>,
) {
  const url = Object.assign(new URL(server.url), parts);
  return url.href;
}

/** The message with which a start fails. It never has the password. */
async function failure(url: string): Promise<string> {
  const error = await openDatabase({ kind: 'postgresql', url }).then(
    () => expect.unreachable('it was opened'),
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ name: 'DatabaseError' });
  const { message } = error as Error;
  const own = /:([^:@/]+)@/.exec(url)?.[1] ?? expect.unreachable('it has a password');
  for (const secret of [own, 'hunter2secret']) expect(message).not.toContain(secret);
  return message.replaceAll(new URL(server.url).port, 'PORT');
}

const LIMITED = { username: 'limited', password: 'hunter2secret' };

describe('a failed start on PostgreSQL', () => {
  it.each([
    [
      'a wrong password',
      { password: 'wrong-one' },
      '127.0.0.1:PORT: password authentication failed for user "postgres" (SQLSTATE 28P01). Check the user and the password',
    ],
    [
      'an unknown database',
      { pathname: '/nowhere' },
      '127.0.0.1:PORT: database "nowhere" does not exist (SQLSTATE 3D000). Create the database',
    ],
    [
      'too many connections',
      { ...LIMITED, username: 'crowded' },
      '127.0.0.1:PORT: too many connections for role "crowded" (SQLSTATE 53300). End other',
    ],
    [
      'no grant on the schema',
      LIMITED,
      '127.0.0.1:PORT: permission denied for schema public (SQLSTATE 42501). Let the user own',
    ],
    [
      'an unknown host',
      { hostname: 'nowhere.invalid' },
      /^PostgreSQL at nowhere\.invalid:PORT: getaddrinfo \w+ nowhere\.invalid \(E\w+\)\. Correct the name of the host/,
    ],
    [
      'a private authority',
      { search: '?sslmode=verify-full' },
      '127.0.0.1:PORT: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT). Name the authority',
    ],
    [
      'a host that the certificate lacks',
      { search: `?sslmode=verify-full&sslrootcert=${file('ca.pem')}` },
      /^PostgreSQL at 127\.0\.0\.1:PORT: .*does not match certificate.* \(ERR_TLS_CERT_ALTNAME_INVALID\)\. Use a host name/,
    ],
    [
      'a missing file',
      { search: '?sslmode=verify-full&sslrootcert=/nowhere.pem' },
      /^PostgreSQL at the configured address: ENOENT: .*\/nowhere\.pem' \(ENOENT\)\. Check the files/,
    ],
  ])('names %s', async (_, parts, expected) => {
    const message = await failure(address(parts));
    if (typeof expected === 'string') expect(message).toContain(`PostgreSQL at ${expected}`);
    else expect(message).toMatch(expected);
  });

  it('names a closed port', async () => {
    const port = String(await freePort());
    const expected = `PostgreSQL at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port} (ECONNREFUSED). Start the server`;
    expect(await failure(address({ port }))).toContain(expected);
    expect(await failure(server.url.replace(/@[^/]+/, `@127.0.0.1:${port},127.0.0.1:${port}`))).toContain(
      `127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port} (ECONNREFUSED)`,
    );
  });

  it('names a server that is starting', async () => {
    const text = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0';
    const head = Buffer.alloc(5);
    head.write('E');
    head.writeInt32BE(text.length + 4, 1);
    const starting = createServer((socket) =>
      socket.once('data', () => socket.end(Buffer.concat([head, Buffer.from(text)]))),
    );
    const port = await new Promise<number>((resolve) => {
      starting.listen(0, '127.0.0.1', () => resolve((starting.address() as { port: number }).port));
    });
    onTestFinished(() => void starting.close());
    expect(await failure(address({ port: String(port) }))).toBe(
      `PostgreSQL at 127.0.0.1:${port}: the database system is starting up (SQLSTATE 57P03). The server starts or stops. Try again in a moment.`,
    );
  });
});

describe('a database on PostgreSQL', () => {
  const databaseAt = (parts: Parameters<typeof address>[0]) =>
    openDatabase({ kind: 'postgresql', url: address(parts) });
  const tables = async (database: string, schema: string) => {
    const client = new pg.Client({ connectionString: address({ pathname: `/${database}` }) });
    await client.connect();
    const { rowCount } = await client.query('SELECT FROM pg_tables WHERE schemaname = $1', [schema]);
    await client.end();
    return rowCount;
  };

  it('is refused before the first table unless its encoding is UTF8', async () => {
    await as("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'");
    expect(await failure(address({ pathname: '/latin' }))).toMatch(
      /latin on 127.0.0.1:PORT has the encoding LATIN1, and/,
    );
    expect(await tables('latin', 'public')).toBe(0);
  });

  it('has its tables in the first schema of the search path alone', async () => {
    await as('CREATE DATABASE schemas');
    const there = { pathname: '/schemas', search: '?options=-c%20search_path%3Ddeck,public' };
    for (let start = 1; start <= 2; start += 1) {
      const database = await databaseAt(start === 1 ? { pathname: '/schemas' } : there);
      const times = { createdMs: start, modifiedMs: start };
      await database.write((tx) =>
        tx.prisma.user.create({ data: { username: `user ${start}`, passwordHash: '', role: 'viewer', ...times } }),
      );
      expect((await database.read.prisma.user.findMany()).map(({ username }) => username)).toEqual([`user ${start}`]);
      await database.close();
      if (start === 1) {
        const client = new pg.Client({ connectionString: address({ pathname: '/schemas' }) });
        await client.connect();
        await client.query('CREATE SCHEMA deck');
        await client.end();
      }
    }
    expect(await tables('schemas', 'deck')).toBe(await tables('schemas', 'public'));
    const nowhere = { ...there, search: '?options=-c%20search_path%3Dnowhere' };
    expect(await failure(address(nowhere))).toContain('no schema of the search_path nowhere');
  });
});
