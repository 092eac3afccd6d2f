// The command line as people use it: a process of its own, on a data folder that a server has left.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Database, openDatabase, statement } from '@quarterdeck/core/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkKey } from '../auth/key-check.ts';
import { createPasswords } from '../auth/passwords.ts';
import { openSecretKey, readSecretKind } from '../auth/secrets.ts';
import { createAuditLog } from '../features/audit/audit.log.ts';
import { VERSION } from '../version.ts';
import { COMMANDS } from './commands.ts';
import { runCommand } from './run-command.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const DAY_MS = 86_400_000;

let dataDir: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-cli-'));
  const key = openSecretKey(dataDir);
  await withData(async (db) => {
    await checkKey(db, key);
    const times = { createdMs: 1n, modifiedMs: 1n };
    await db.write(async (tx) => {
      await tx.prisma.user.create({ data: { username: 'ada', passwordHash: 'x', role: 'master', ...times } });
      await createAuditLog(Date.now, key).record(tx, { action: 'user.create', actor: 'system' });
    });
  });
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Opens the data while no command runs. */
async function withData<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase({ kind: 'sqlite', dataDir });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

async function run(args: readonly string[], settings: Readonly<Record<string, string>> = {}, input = '') {
  const child: ChildProcessWithoutNullStreams = spawn(
    process.execPath,
    ['--conditions=@quarterdeck/source', MAIN, ...args],
    { env: { PATH: process.env['PATH'], QUARTERDECK_DATA_DIR: dataDir, ...settings } },
  );
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

/** Arguments that are refused before anything is opened need no process. */
async function runHere(args: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(args, {
    out: (line) => void out.push(`${line}\n`),
    say: (line) => void err.push(`${line}\n`),
    readInput: async () => '',
  });
  return { code, out: out.join(''), err: err.join('') };
}

const entries = () => withData((db) => db.read.prisma.audit.findMany({ orderBy: { id: 'asc' } }));
const lastEntry = async () => (await entries()).at(-1);

const oneLine = /^quarterdeck: [^\n]+\n$/;

describe('the command line', () => {
  it('helps', async () => {
    const { code, out, err } = await run(['help']);
    expect([code, err]).toEqual([0, '']);
    for (const { name } of COMMANDS) expect(out).toContain(name);
    expect((await run(['--help'])).out).toBe(out);
    const one = await run(['help', 'token', 'create']);
    expect(one.out).toContain('--expire WHEN');
    expect((await run(['token', 'create', '--help'])).out).toBe(one.out);
  });

  it('tells its version', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, out: `quarterdeck ${VERSION}\n`, err: '' });
  });

  it.each([
    [['frobnicate']],
    [['user']],
    [['user', 'unlock']],
    [['user', 'reset-password', 'ada', 'hunter2-hunter2']],
    [['user', 'reset-password', 'ada', '--password=hunter2-hunter2']],
    [['user', 'reset-password', 'ada', '--password-stdin=hunter2-hunter2']],
    [['token', 'create', '--name', 'x']],
    [['token', 'create', '--user', 'ada']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--expire', 'soon']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--expire', '2001-01-01']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--expire', '2030-02-31']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--scopes', 'errlog:read,everything']],
    [['token', 'create', '--user', 'ada', '--name', 'x', '--cidr', '10.0.0.0/33']],
    [['token', 'create', '--user', 'ada', '--name', 'long'.repeat(51)]],
    [['audit', 'verify', '--loudly']],
    [['help', 'frobnicate']],
    [['user', 'reset-password', 'ada', '-phunter2-hunter2']],
  ])('refuses %j as bad usage', async (args) => {
    const { code, out, err } = await runHere(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(oneLine);
    expect(err).not.toContain('hunter2');
  });

  it('ends with the code of bad usage', async () => {
    expect((await run(['frobnicate'])).code).toBe(2);
  });

  it('refuses settings that are wrong', async () => {
    const { code, err } = await run(['audit', 'verify'], { QUARTERDECK_PORT: 'x' });
    expect(code).toBe(2);
    expect(err).toMatch(/^quarterdeck: QUARTERDECK_PORT gives "x"; allowed: .+\n$/);
  });

  it('refuses to make a new installation', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'quarterdeck-empty-'));
    const { code, out, err } = await run(['user', 'unlock', 'ada'], { QUARTERDECK_DATA_DIR: join(empty, 'nowhere') });
    rmSync(empty, { recursive: true });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(oneLine);
    expect(err).toContain('QUARTERDECK_DATA_DIR');
  });

  it.each([
    [['user', 'unlock', 'ada']],
    [['user', 'reset-password', 'ada']],
    [['token', 'create', '--user', 'ada', '--name', 'x']],
    [['audit', 'verify']],
  ])('refuses %j while a server runs', async (args) => {
    const { code, out, err } = await withData(() => run(args));
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(oneLine);
    expect(err).toContain('stop it first');
  });

  it.each([
    [['user', 'unlock', 'nobody']],
    [['user', 'reset-password', 'nobody']],
    [['user', 'reset-2fa', 'nobody']],
    [['token', 'create', '--user', 'nobody', '--name', 'x']],
  ])('refuses %j: there is no such user', async (args) => {
    const before = (await entries()).length;
    const { code, out, err } = await run(args);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('quarterdeck: there is no user "nobody"\n');
    expect(await entries()).toHaveLength(before);
  });
});

describe('user reset-password', () => {
  it('prints the new password alone, ends all sessions and leaves the second factor on', async () => {
    await withData((db) =>
      db.write(async (tx) => {
        const times = { createdMs: 1n, expireMs: 2n };
        const session = {
          userId: 1,
          tokenHash: new Uint8Array(32),
          remember: false,
          address: '',
          client: '',
          ...times,
        };
        await tx.prisma.session.create({ data: session });
        await tx.prisma.user.update({ where: { id: 1 }, data: { totpSeed: new Uint8Array(8), totpSinceMs: 5n } });
      }),
    );
    const { code, out, err } = await run(['user', 'reset-password', 'ada']);
    expect(code).toBe(0);
    expect(out).toMatch(/^[0-9A-Za-z]{24}\n$/);
    expect(err).not.toContain(out.trim());
    await withData(async ({ read }) => {
      const user = await read.prisma.user.findUniqueOrThrow({ where: { id: 1 } });
      expect(await (await createPasswords()).verify(user.passwordHash, out.trim())).toBe(true);
      expect(user.totpSinceMs).toBe(5n);
      expect(await read.prisma.session.count()).toBe(0);
    });
    const entry = await lastEntry();
    expect(entry).toMatchObject({
      action: 'user.password_reset',
      actorKind: 'system',
      targetKind: 'user',
      targetId: 1,
    });
    expect(entry?.detail).not.toContain(out.trim());
  });

  it('takes it from standard input, and then prints nothing', async () => {
    const password = 'a crème brûlée for all of us';
    const { code, out, err } = await run(['user', 'reset-password', '--password-stdin', 'ada'], {}, `${password}\n`);
    expect([code, out]).toEqual([0, '']);
    expect(err).not.toContain(password);
    const user = await withData(({ read }) => read.prisma.user.findUniqueOrThrow({ where: { id: 1 } }));
    expect(await (await createPasswords()).verify(user.passwordHash, password)).toBe(true);
  });

  it.each(['', 'short', 'aaaaaaaaaaaaaaaa', 'too long '.repeat(30)])('refuses the password %j', async (password) => {
    const { code, out, err } = await run(['user', 'reset-password', '--password-stdin', 'ada'], {}, password);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^quarterdeck: the password [^\n]+\n$/);
  });
});

describe('user reset-2fa', () => {
  it('turns the second factor off and its recovery codes with it', async () => {
    await withData((db) =>
      db.write(async (tx) => {
        await tx.prisma.user.update({ where: { id: 1 }, data: { totpSeed: new Uint8Array(8), totpSinceMs: 5n } });
        await tx.prisma.recoveryCode.create({ data: { userId: 1, codeHash: new Uint8Array(4) } });
      }),
    );
    expect((await run(['user', 'reset-2fa', 'ada'])).code).toBe(0);
    await withData(async ({ read }) => {
      const user = await read.prisma.user.findUniqueOrThrow({ where: { id: 1 } });
      expect([user.totpSeed, user.totpSinceMs]).toEqual([null, 0n]);
      expect(await read.prisma.recoveryCode.count()).toBe(0);
    });
    expect(await lastEntry()).toMatchObject({ action: 'user.second_factor_reset', actorKind: 'system', targetId: 1 });
  });
});

describe('token create', () => {
  it('prints the secret alone on standard output, and stores no more than its hash', async () => {
    const before = Date.now();
    const options = ['--scopes', 'errlog:read,agent:read', '--expire', '90d', '--cidr', '10.0.0.0/8,2001:db8::/32'];
    const { code, out, err } = await run(['token', 'create', '--user', 'ada', '--name', 'ci', ...options]);
    expect(code).toBe(0);
    const secret = out.trim();
    expect(out).toBe(`${secret}\n`);
    expect(readSecretKind(secret)).toBe('api_token');
    expect(err).not.toContain(secret);
    const row = await withData(({ read }) => read.prisma.apiToken.findFirstOrThrow({ orderBy: { id: 'desc' } }));
    expect(Buffer.from(row.tokenHash)).toEqual(Buffer.from(openSecretKey(dataDir).digest(secret)));
    expect(row).toMatchObject({
      name: 'ci',
      userId: 1,
      tokenTail: secret.slice(-4),
      scopes: 'errlog:read agent:read',
      allowedCidrs: '10.0.0.0/8 2001:db8::/32',
    });
    expect(Number(row.expireMs)).toBeGreaterThanOrEqual(before + 90 * DAY_MS);
    const entry = await lastEntry();
    expect(entry).toMatchObject({ action: 'api_token.create', actorKind: 'system', targetId: row.id });
    expect(entry?.detail).not.toContain(secret);
  });

  it('takes a date, and never', async () => {
    const expiryOf = async (...options: string[]) => {
      expect((await run(['token', 'create', '--user', 'ada', '--name', 'x', ...options])).code).toBe(0);
      const row = await withData(({ read }) => read.prisma.apiToken.findFirstOrThrow({ orderBy: { id: 'desc' } }));
      return Number(row.expireMs);
    };
    expect(await expiryOf('--expire', '2090-12-31')).toBe(Date.UTC(2090, 11, 31));
    expect(await expiryOf('--expire', '2090-12-31T12:00:00+02:00')).toBe(Date.UTC(2090, 11, 31, 10));
    expect(await expiryOf('--expire', 'never')).toBe(0);
    expect(await expiryOf()).toBe(0);
  });

  it('keeps to the longest life there may be', async () => {
    const settings = { QUARTERDECK_TOKEN_MAX_DAYS: '30' };
    const create = (...options: string[]) =>
      run(['token', 'create', '--user', 'ada', '--name', 'x', ...options], settings);
    expect((await create('--expire', 'never')).code).toBe(2);
    expect((await create('--expire', '31d')).err).toContain('within 30 days');
    const { code, err } = await create();
    expect(code).toBe(0);
    expect(err).toContain(new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 7));
  });

  it('is refused for a disabled user', async () => {
    const disable = (disabled: boolean) =>
      withData((db) => db.write((tx) => tx.prisma.user.update({ where: { id: 1 }, data: { disabled } })));
    await disable(true);
    const { code, out } = await run(['token', 'create', '--user', 'ada', '--name', 'x']);
    await disable(false);
    expect([code, out]).toEqual([1, '']);
  });
});

describe('token generate', () => {
  it('prints a well-formed secret and needs no data', async () => {
    const { code, out, err } = await run(['token', 'generate'], { QUARTERDECK_DATA_DIR: '/nonexistent' });
    expect([code, err]).toEqual([0, '']);
    expect(readSecretKind(out.trim())).toBe('api_token');
  });
});

describe('user unlock', () => {
  it('forgets the failed sign-ins of this user alone', async () => {
    const { accountKey, otpKey, pairKey } = await import('../auth/throttle-keys.ts');
    const keys = [accountKey('ada'), pairKey('ada', '192.0.2.1'), otpKey(1), otpKey(1, '192.0.2.1'), accountKey('bob')];
    await withData((db) =>
      db.write((tx) => tx.prisma.throttle.createMany({ data: keys.map((key) => ({ key, failures: 9, sinceMs: 1n })) })),
    );
    expect((await run(['user', 'unlock', 'ada'])).code).toBe(0);
    const left = await withData(({ read }) => read.prisma.throttle.findMany());
    expect(left.map(({ key }) => key)).toEqual([accountKey('bob')]);
    expect(await lastEntry()).toMatchObject({ action: 'user.unlock', actorKind: 'system', targetId: 1 });
  });
});

describe('audit verify', () => {
  it('is content with what the commands above have written, and fails once it is broken', async () => {
    const whole = await run(['audit', 'verify']);
    expect(whole).toMatchObject({ code: 0, err: '' });
    expect(whole.out).toMatch(/^the audit log is intact; entries checked: \d+\n$/);
    await withData((db) =>
      db.write((tx) => tx.sql.run(statement("UPDATE audit SET actor_kind = 'user' WHERE id = ?"), 2)),
    );
    const broken = await run(['audit', 'verify']);
    expect([broken.code, broken.out]).toEqual([1, '']);
    expect(broken.err).toBe('quarterdeck: the audit log is broken at entry 2; 1 entries before it fit\n');
  });
});
