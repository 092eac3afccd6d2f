import { randomUUID } from 'node:crypto';
import { createClient, signIn } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { DIALECT, PASSWORD, startApi, type TestApi } from '../../../test/start-api.ts';
import { newSecret } from '../../auth/secrets.ts';
import { verifyAudit } from '../audit/audit.verify.ts';
import { applyBootstrap } from './bootstrap.ts';
import { readBootstrap } from './bootstrap-file.ts';

const ADMIN = { username: 'admin', role: 'master', password: PASSWORD };
const OTHER_PASSWORD = 'another correct horse battery';

const token = (more: object = {}) => ({ user: 'robot', name: 'ci', token: newSecret('api_token'), ...more });
const robot = (more: object = {}) => ({ username: 'robot', role: 'operator', password: OTHER_PASSWORD, ...more });

/** Applies a file as the next start would. */
const again = (api: TestApi, file: object) => applyBootstrap(api.server.deps, readBootstrap(JSON.stringify(file)));

/** Everything a bootstrap file is about, and what is said about it. */
async function rows({ server }: TestApi): Promise<string> {
  const { user, apiToken, audit, setting } = server.deps.db.read.prisma;
  const all = [
    await user.findMany({ orderBy: { id: 'asc' } }),
    await apiToken.findMany({
      orderBy: { id: 'asc' },
      omit: { lastUsedMs: true, lastAddress: true, lastClient: true },
    }),
    await audit.findMany({ where: { actorKind: 'system' }, orderBy: { id: 'asc' } }),
    await setting.findMany({ where: { name: { startsWith: 'bootstrap' } }, orderBy: { name: 'asc' } }),
  ];
  return JSON.stringify(all, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

/** Audit entries of bootstrap files. */
async function actionsOf({ server }: TestApi): Promise<string[]> {
  const where = { actorKind: 'system', detail: { contains: '"bootstrap":true' } };
  const made = await server.deps.db.read.prisma.audit.findMany({ where, orderBy: { id: 'asc' } });
  return made.map(({ action }) => action);
}

describe('the bootstrap file', () => {
  it('creates users who can sign in, and tokens that work', async () => {
    const given = token({ scopes: ['errlog:read'], expire: '90d' });
    await using api = await startApi({ BOOTSTRAP: JSON.stringify({ users: [ADMIN, robot()], api_tokens: [given] }) });
    const { login } = await signIn({ url: api.url, username: 'robot', password: OTHER_PASSWORD });
    expect(login.role).toBe('operator');
    const me = await createClient({ url: api.url, apiToken: given.token }).user.me();
    expect(me).toMatchObject({ username: 'robot', permissions: ['errlog:read'] });
    const text = await rows(api);
    expect(text).not.toContain(OTHER_PASSWORD);
    expect(text).not.toContain(given.token);
    expect(await actionsOf(api)).toEqual(['user.create', 'user.create', 'api_token.create']);
    expect((await verifyAudit(api.server.deps.db, api.server.deps.key)).intact).toBe(true);
  });

  it('changes nothing the second time', async () => {
    const file = { users: [ADMIN, robot()], api_tokens: [token({ expire: '1d' })] };
    await using api = await startApi({ BOOTSTRAP: JSON.stringify(file) });
    const before = await rows(api);
    api.advance(5 * 86_400_000);
    await again(api, file);
    expect(await rows(api)).toBe(before);
  });

  it('does not replace the administrator where it names no master', async () => {
    await using api = await startApi({ BOOTSTRAP: JSON.stringify({ users: [robot()] }) });
    expect((await api.admin.user.me()).role).toBe('master');
  });

  it('changes a role, and no password', async () => {
    await using api = await startApi({ BOOTSTRAP: JSON.stringify({ users: [robot()] }) });
    await again(api, { users: [robot({ role: 'viewer', password: 'a password that is not looked at' })] });
    const { login } = await signIn({ url: api.url, username: 'robot', password: OTHER_PASSWORD });
    expect(login.role).toBe('viewer');
    const entry = await api.server.deps.db.read.prisma.audit.findFirstOrThrow({ where: { action: 'user.update' } });
    expect(JSON.parse(entry.detail)).toMatchObject({ before: { role: 'operator' }, after: { role: 'viewer' } });
  });

  it('changes name, scopes and addresses of a token', async () => {
    const given = token({ scopes: ['errlog:read'] });
    await using api = await startApi({ BOOTSTRAP: JSON.stringify({ users: [robot()], api_tokens: [given] }) });
    const changed = { ...given, name: 'renamed', scopes: ['agent:read'], allowed_cidrs: ['192.0.2.0/24'] };
    await again(api, { api_tokens: [changed] });
    const [row, ...more] = await api.server.deps.db.read.prisma.apiToken.findMany({ where: { name: 'renamed' } });
    expect(more).toEqual([]);
    expect(row).toMatchObject({ name: 'renamed', scopes: 'agent:read', allowedCidrs: '192.0.2.0/24' });
  });

  it('does not bring back a token that was revoked, rotated or disabled', async () => {
    const [revoked, rotated, disabled] = [token({ name: 'a' }), token({ name: 'b' }), token({ name: 'c' })];
    const file = { users: [robot()], api_tokens: [revoked, rotated, disabled] };
    await using api = await startApi({ BOOTSTRAP: JSON.stringify(file) });
    const { db, key } = api.server.deps;
    const hash = (secret: string) => ({ tokenHash: key.digest(secret) });
    await db.write(async (tx) => {
      await tx.prisma.apiToken.delete({ where: hash(revoked.token) });
      const data = { ...hash(newSecret('api_token')), previousHash: key.digest(rotated.token) };
      await tx.prisma.apiToken.update({ where: hash(rotated.token), data });
      await tx.prisma.apiToken.update({ where: hash(disabled.token), data: { disabled: true } });
    });
    const before = await rows(api);
    await again(api, file);
    expect(await rows(api)).toBe(before);
    for (const { token: secret } of file.api_tokens) {
      await expect(createClient({ url: api.url, apiToken: secret }).user.me()).rejects.toMatchObject({ status: 401 });
    }
  });

  it.each<[string, { users?: object[]; api_tokens?: object[] }, string]>([
    [
      'a token of nobody',
      { api_tokens: [token({ user: 'nobody' })] },
      'api_tokens[0].user: names a user who does not exist',
    ],
    ['an expiry in the past', { api_tokens: [token({ user: 'admin', expire: '2001-01-01' })] }, 'api_tokens[0].expire'],
    ['a bad password', { users: [robot({ password: 'aaaaaaaaaaaaaaaa' })] }, 'users[0].password: must'],
    ['a name in another case', { users: [robot({ username: 'ADMIN' })] }, 'users[0].username: differs only in case'],
    ['a file without a master', { users: [{ ...ADMIN, role: 'viewer' }] }, 'no active user of the role master'],
  ])('refuses %s, and changes nothing', async (_, file, problem) => {
    await using api = await startApi();
    const before = await rows(api);
    await expect(again(api, { ...file, users: [...(file.users ?? []), robot({ username: 'x' })] })).rejects.toThrow(
      problem,
    );
    expect(await rows(api)).toBe(before);
    const start = startApi({ ...(DIALECT === 'sqlite' ? {} : api.sharing), BOOTSTRAP: '{"users": [}' });
    await expect(start).rejects.toThrow('QUARTERDECK_BOOTSTRAP');
  });

  it('refuses a token of another user', async () => {
    const given = token();
    const file = { users: [robot()], api_tokens: [given] };
    await using api = await startApi({ BOOTSTRAP: JSON.stringify(file) });
    await expect(again(api, { api_tokens: [{ ...given, user: 'admin' }] })).rejects.toThrow(
      'is not the owner of this token',
    );
  });

  it('works while users are created and deleted', async () => {
    await using api = await startApi();
    const file = { users: Array.from({ length: 5 }, () => robot({ username: `robot-${randomUUID()}` })) };
    await Promise.all(Array.from({ length: 8 }, () => again(api, file)));
    expect(await api.server.deps.db.read.prisma.user.count()).toBe(6);
    expect(await actionsOf(api)).toEqual(Array(5).fill('user.create'));
  });
});

describe.skipIf(DIALECT === 'sqlite')('several servers that start together', () => {
  it('create everything once', async () => {
    await using first = await startApi();
    const file = { users: [ADMIN, robot()], api_tokens: [token(), token()] };
    const settings = { ...first.sharing, BOOTSTRAP: JSON.stringify(file) };
    const servers = await Promise.all(Array.from({ length: 5 }, () => startApi(settings)));
    try {
      const { prisma } = first.server.deps.db.read;
      expect(await prisma.user.count()).toBe(2);
      expect(await prisma.apiToken.count()).toBe(2);
      expect(await actionsOf(first)).toEqual(['user.create', 'api_token.create', 'api_token.create']);
    } finally {
      for (const server of servers) await server[Symbol.asyncDispose]();
    }
  });
});
