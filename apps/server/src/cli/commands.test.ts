import { statement } from '@quarterdeck/core/db';
import { describe, expect, it } from 'vitest';
import { useDataFolder } from '../../test/command-line.ts';
import { openSecretKey } from '../auth/key-ring.ts';
import { createPasswords } from '../auth/passwords.ts';
import { readSecretKind } from '../auth/secrets.ts';
import { accountKey, otpKey, pairKey } from '../auth/throttle-keys.ts';

const DAY_MS = 86_400_000;

const { dataDir, run, withData, lastEntry } = useDataFolder();

describe('user reset-password', () => {
  it('prints the new password alone, ends all sessions and leaves the second factor on', async () => {
    await withData((db) =>
      db.write(async (tx) => {
        const times = { createdMs: 1n, expireMs: 2n };
        const session = { userId: 1, tokenHash: new Uint8Array(32), remember: false, address: '', client: '' };
        await tx.prisma.session.create({ data: { ...session, ...times } });
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
    expect(entry).toMatchObject({ action: 'user.password_reset', actorKind: 'local', targetKind: 'user', targetId: 1 });
    expect(entry?.detail).not.toContain(out.trim());
  });

  it('reads it from standard input, and then prints nothing', async () => {
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
    expect(err).toMatch(/^quarterdeckd: the password [^\n]+\n$/);
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
    expect(await lastEntry()).toMatchObject({ action: 'user.second_factor_reset', actorKind: 'local', targetId: 1 });
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
    expect(entry).toMatchObject({ action: 'api_token.create', actorKind: 'local', targetId: row.id });
    expect(entry?.detail).not.toContain(secret);
  });

  it('accepts a date, and never', async () => {
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

  it('limits the expiry to the longest allowed', async () => {
    const settings = { QUARTERDECK_TOKEN_MAX_DAYS: '30' };
    const create = (...options: string[]) =>
      run(['token', 'create', '--user', 'ada', '--name', 'x', ...options], settings);
    expect((await create('--expire', 'never')).code).toBe(2);
    expect((await create('--expire', '31d')).err).toContain('within 30 days');
    const before = Date.now();
    expect((await create()).code).toBe(0);
    const row = await withData(({ read }) => read.prisma.apiToken.findFirstOrThrow({ orderBy: { id: 'desc' } }));
    expect(Number(row.expireMs)).toBeGreaterThanOrEqual(before + 30 * DAY_MS);
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
  it('removes the counted attempts of this user alone', async () => {
    const keys = [accountKey('ada'), pairKey('ada', '192.0.2.1'), otpKey(1), otpKey(1, '192.0.2.1'), accountKey('bob')];
    await withData((db) =>
      db.write((tx) => tx.prisma.throttle.createMany({ data: keys.map((key) => ({ key, failures: 9, sinceMs: 1n })) })),
    );
    expect((await run(['user', 'unlock', 'ada'])).code).toBe(0);
    const left = await withData(({ read }) => read.prisma.throttle.findMany());
    expect(left.map(({ key }) => key)).toEqual([accountKey('bob')]);
    expect(await lastEntry()).toMatchObject({ action: 'user.unlock', actorKind: 'local', targetId: 1 });
  });
});

describe('audit verify', () => {
  it('accepts an intact log, and refuses a broken one', async () => {
    for (let entries = 0; entries < 2; entries += 1) await run(['user', 'unlock', 'ada']);
    const whole = await run(['audit', 'verify']);
    expect(whole).toMatchObject({ code: 0, err: '' });
    expect(whole.out).toMatch(/^the audit log is intact; entries checked: \d+\n$/);
    await withData((db) =>
      db.write((tx) => tx.sql.run(statement("UPDATE audit SET actor_kind = 'user' WHERE id = ?"), 2)),
    );
    const broken = await run(['audit', 'verify']);
    expect([broken.code, broken.out]).toEqual([3, '']);
    expect(broken.err).toBe('quarterdeckd: the audit log is broken at entry 2; 1 entries before it fit\n');
  });
});
