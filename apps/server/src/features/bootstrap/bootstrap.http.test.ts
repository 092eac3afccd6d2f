import { signIn } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { DIALECT, PASSWORD, startApi, type TestApi } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';
import { newSecret } from '../../auth/secrets.ts';
import { verifyAudit } from '../audit/audit.verify.ts';
import { applyBootstrap } from './bootstrap.ts';
import { readBootstrap } from './bootstrap-file.ts';

const ADMIN = { username: 'admin', role: 'master', password: PASSWORD };
const OTHER_PASSWORD = 'another correct horse battery';

/** The user in the file that the server has started with, and the user's token. */
const FIRST = { username: 'first', role: 'operator', password: OTHER_PASSWORD };
const FIRST_TOKEN = {
  user: 'first',
  name: 'ci',
  token: newSecret('api_token'),
  scopes: ['errlog:read'],
  expire: '90d',
};
const api = useSteadyApi({ BOOTSTRAP: JSON.stringify({ users: [ADMIN, FIRST], api_tokens: [FIRST_TOKEN] }) });

/** A file with a user, and with tokens of that user. */
function newFile(...tokens: object[]) {
  const username = word();
  const api_tokens = tokens.map((more) => ({ user: username, name: 'ci', token: newSecret('api_token'), ...more }));
  return { users: [{ username, role: 'operator', password: OTHER_PASSWORD }], api_tokens };
}

/** Applies a file as a start would. */
const apply = (file: object) => applyBootstrap(api.server.deps, readBootstrap(JSON.stringify(file)));

/** Everything a bootstrap file is about, and what is said about it. */
async function rows(): Promise<string> {
  const { user, apiToken, audit, setting } = api.server.deps.db.read.prisma;
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

/** Audit entries of bootstrap files from one on. */
async function actionsOf({ server }: TestApi, after = 0): Promise<string[]> {
  const where = { actorKind: 'system', detail: { contains: '"bootstrap":true' }, id: { gt: after } };
  const made = await server.deps.db.read.prisma.audit.findMany({ where, orderBy: { id: 'asc' } });
  return made.map(({ action }) => action);
}
const newestAudit = async () => Number((await api.admin.audit.list({ query: { page_size: 1 } })).data[0]?.id);

describe('the bootstrap file', () => {
  it('creates users who can sign in, and tokens that work', async () => {
    const { login } = await signIn({ url: api.url, username: 'first', password: OTHER_PASSWORD });
    expect(login.role).toBe('operator');
    const me = await api.using(FIRST_TOKEN.token).user.me();
    expect(me).toMatchObject({ username: 'first', permissions: ['errlog:read'] });
    const text = await rows();
    expect(text).not.toContain(OTHER_PASSWORD);
    expect(text).not.toContain(FIRST_TOKEN.token);
    expect((await actionsOf(api)).slice(0, 3)).toEqual(['user.create', 'user.create', 'api_token.create']);
    expect((await verifyAudit(api.server.deps.db, api.server.deps.key)).intact).toBe(true);
  });

  it('changes nothing the second time', async () => {
    const file = newFile({ expire: '1d' });
    await apply(file);
    const before = await rows();
    api.advance(5 * 86_400_000);
    await apply(file);
    expect(await rows()).toBe(before);
  });

  it('does not replace the administrator where it names no master', async () => {
    await using own = await startApi({ BOOTSTRAP: JSON.stringify(newFile()) });
    expect((await own.admin.user.me()).role).toBe('master');
  });

  it('changes a role, and no password', async () => {
    const file = newFile();
    await apply(file);
    await apply({ users: [{ ...file.users[0], role: 'viewer', password: 'a password that is not looked at' }] });
    const username = file.users[0]?.username ?? '';
    const { login } = await signIn({ url: api.url, username, password: OTHER_PASSWORD });
    expect(login.role).toBe('viewer');
    const where = { action: 'user.update', targetId: login.id };
    const entry = await api.server.deps.db.read.prisma.audit.findFirstOrThrow({ where });
    expect(JSON.parse(entry.detail)).toMatchObject({ before: { role: 'operator' }, after: { role: 'viewer' } });
  });

  it('changes name, scopes and addresses of a token', async () => {
    const file = newFile({ scopes: ['errlog:read'] });
    await apply(file);
    const name = word();
    const change = { name, scopes: ['agent:read'], allowed_cidrs: ['192.0.2.0/24'] };
    await apply({ api_tokens: [{ ...file.api_tokens[0], ...change }] });
    const stored = await api.server.deps.db.read.prisma.apiToken.findMany({ where: { name } });
    expect(stored).toMatchObject([{ name, scopes: 'agent:read', allowedCidrs: '192.0.2.0/24' }]);
  });

  it('does not bring back a token that was revoked, rotated or disabled', async () => {
    const file = newFile({ name: 'a' }, { name: 'b' }, { name: 'c' });
    await apply(file);
    const [revoked = '', rotated = '', disabled = ''] = file.api_tokens.map(({ token }) => token);
    const { db, key } = api.server.deps;
    const hash = (secret: string) => ({ tokenHash: key.digest(secret) });
    await db.write(async (tx) => {
      await tx.prisma.apiToken.delete({ where: hash(revoked) });
      const data = { ...hash(newSecret('api_token')), previousHash: key.digest(rotated) };
      await tx.prisma.apiToken.update({ where: hash(rotated), data });
      await tx.prisma.apiToken.update({ where: hash(disabled), data: { disabled: true } });
    });
    const before = await rows();
    await apply(file);
    expect(await rows()).toBe(before);
    for (const apiToken of [revoked, rotated, disabled]) {
      await expect(api.using(apiToken).user.me()).rejects.toMatchObject({ status: 401 });
    }
  });

  const given = (more: object) => ({ user: 'admin', name: 'ci', token: newSecret('api_token'), ...more });
  const person = (more: object) => ({ ...FIRST, username: word(), ...more });
  it.each<[string, { users?: object[]; api_tokens?: object[] }, string]>([
    ['a token of nobody', { api_tokens: [given({ user: 'nobody' })] }, 'names a user who does not exist'],
    ['a token of another user', { api_tokens: [{ ...FIRST_TOKEN, user: 'admin' }] }, 'is not the owner of this token'],
    ['an expiry in the past', { api_tokens: [given({ expire: '2001-01-01' })] }, 'api_tokens[0].expire'],
    ['a bad password', { users: [person({ password: 'aaaaaaaaaaaaaaaa' })] }, 'users[0].password: must'],
    ['a name in another case', { users: [person({ username: 'ADMIN' })] }, 'users[0].username: differs only in case'],
    ['a file without a master', { users: [{ ...ADMIN, role: 'viewer' }] }, 'no active user of the role master'],
  ])('refuses %s, and changes nothing', async (_, file, problem) => {
    const before = await rows();
    const users = [...(file.users ?? []), person({})];
    await expect(apply({ ...file, users })).rejects.toThrow(problem);
    expect(await rows()).toBe(before);
  });

  it('stops the start where it is not valid', async () => {
    const start = startApi({ ...(DIALECT === 'sqlite' ? {} : api.sharing), BOOTSTRAP: '{"users": [}' });
    await expect(start).rejects.toThrow('QUARTERDECK_BOOTSTRAP');
  });

  it('works while users are created and deleted', async () => {
    const users = Array.from({ length: 5 }, () => person({}));
    const after = await newestAudit();
    const before = await api.server.deps.db.read.prisma.user.count();
    await Promise.all(Array.from({ length: 8 }, () => apply({ users })));
    expect(await api.server.deps.db.read.prisma.user.count()).toBe(before + 5);
    expect(await actionsOf(api, after)).toEqual(Array(5).fill('user.create'));
  });
});

describe.skipIf(DIALECT === 'sqlite')('several servers that start together', () => {
  it('create everything once', async () => {
    await using first = await startApi();
    const made = newFile({}, {});
    const file = { ...made, users: [ADMIN, ...made.users] };
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
