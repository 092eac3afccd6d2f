// Rights that a provider takes away, and providers that do not answer. The tests move the clock of their server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/new-folder.ts';
import { Browser } from '../../../test/browser.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../../../test/identity-provider.ts';
import { PASSWORD, startApi, type TestApi } from '../../../test/start-api.ts';

const MINUTE_MS = 60_000;
const folder = newFolder();
/** With a refresh token; with the user info alone; without either. */
const providers: Record<string, IdentityProvider> = {};
let api: TestApi;

beforeAll(async () => {
  providers['full'] = await startIdentityProvider();
  providers['info'] = await startIdentityProvider({ inIdToken: false, withoutRefresh: true });
  providers['bare'] = await startIdentityProvider({ withoutRefresh: true, withoutUserInfo: true });
  const secretFile = join(folder, 'client-secret');
  writeFileSync(secretFile, CLIENT.secret);
  const settings = Object.entries(providers).flatMap(([name, { issuer }]) => {
    const prefix = `OIDC_${name.toUpperCase()}`;
    return [
      [`${prefix}_ISSUER`, issuer],
      [`${prefix}_CLIENT_ID`, CLIENT.id],
      [`${prefix}_CLIENT_SECRET_FILE`, secretFile],
      [`${prefix}_SCOPES`, 'openid groups'],
      [`${prefix}_ROLE_MAP`, 'ops=operator,all=viewer'],
    ];
  });
  api = await startApi({ ...Object.fromEntries(settings), PASSWORD_LOGIN: 'masters' });
  for (const [name, provider] of Object.entries(providers)) await provider.register(api.url, name);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  for (const provider of Object.values(providers)) await provider[Symbol.asyncDispose]();
});

let people = 0;
async function signedIn(name: string, groups: readonly string[] = ['ops']) {
  const provider = providers[name] as IdentityProvider;
  people += 1;
  const subject = `${name}-${people}`;
  provider.people.set(subject, { groups });
  provider.next = subject;
  const browser = new Browser();
  await browser.open(`${api.url}/auth/oidc/${name}?to=/landing`, (url) => (url.endsWith('/landing') ? undefined : url));
  const me = () => browser.call(`${api.url}/admin-api/user/me`);
  const { id, role } = (await me()).body.data;
  expect(role).toBe('operator');
  return { provider, subject, browser, me, id };
}

it.each(['full', 'info'])('takes a role away within five minutes of the provider %s', async (name) => {
  const { provider, subject, me, id } = await signedIn(name);
  const { me: other } = await signedIn(name);
  provider.people.set(subject, { groups: ['all'] });
  api.advance(5 * MINUTE_MS);
  expect((await me()).body.data.role).toBe('viewer');
  provider.people.set(subject, { groups: [] });
  api.advance(5 * MINUTE_MS);
  expect((await me()).status).toBe(401);
  expect(await api.admin.user.get({ params: { id } })).toMatchObject({ role: 'none' });
  expect((await other()).body.data.role).toBe('operator');
});

it('ends a session at its next check where the provider gives nothing to ask with', async () => {
  const { me } = await signedIn('bare');
  api.advance(4 * MINUTE_MS);
  expect((await me()).status).toBe(200);
  api.advance(MINUTE_MS);
  expect((await me()).status).toBe(401);
});

it('asks once for many requests', async () => {
  const { provider, me } = await signedIn('full');
  provider.requests.length = 0;
  api.advance(5 * MINUTE_MS);
  const answers = await Promise.all(Array.from({ length: 8 }, me));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(provider.requests.filter((path) => path === '/token')).toHaveLength(1);
});

it('keeps sessions for a provider that does not answer, and local masters get in', async () => {
  const { provider, me } = await signedIn('full');
  await provider.pause();
  try {
    api.advance(5 * MINUTE_MS);
    expect((await me()).body.err.code).toBe('identity_unavailable');
    const visit = await new Browser().open(`${api.url}/auth/oidc/full`);
    expect([visit.status, visit.text]).toEqual([503, expect.stringContaining('full does not answer')]);
    const login = (username: string) => api.ask('POST', '/admin-api/user/login', { username, password: PASSWORD }, {});
    expect((await login('admin')).status).toBe(200);
  } finally {
    await provider.resume();
  }
  api.advance(6_000);
  expect((await me()).status).toBe(200);
});

it('takes passwords of masters alone', async () => {
  const password = 'eleven tugboats at anchor';
  await api.admin.user.create({ body: { username: 'pat', password, role: 'operator' } });
  const login = () => api.ask('POST', '/admin-api/user/login', { username: 'pat', password }, {});
  expect((await login()).body.msg).toBe('incorrect login credentials');
  const { data } = await api.admin.audit.list({ query: { action: 'user.login_failed', page_size: 1 } });
  expect(data[0]?.detail).toMatchObject({ reason: 'password_off' });
  const { id } = (await api.ask('GET', '/admin-api/user/search?name=pat')).body.data;
  await api.admin.user.confirm({ body: { password: PASSWORD } });
  await api.admin.user.update({ params: { id }, body: { role: 'master' } });
  expect((await login()).status).toBe(200);
});

it('lets no provider take the role of the last master who has a password', async () => {
  const provider = providers['full'] as IdentityProvider;
  const { id } = (await api.ask('GET', '/admin-api/user/search?name=admin')).body.data;
  await api.admin.user.confirm({ body: { password: PASSWORD } });
  const [pat] = (await api.ask('GET', '/admin-api/user/list')).body.data.data.filter(
    (user: { role: string; username: string }) => user.role === 'master' && user.username !== 'admin',
  );
  if (pat !== undefined) await api.admin.user.update({ params: { id: pat.id }, body: { role: 'viewer' } });
  provider.people.set('the-admin', { groups: ['all'] });
  provider.next = 'the-admin';
  await api.admin.identity.create({ params: { id }, body: { issuer: provider.issuer, subject: 'the-admin' } });
  const browser = new Browser();
  await browser.open(`${api.url}/auth/oidc/full?to=/landing`, (url) => (url.endsWith('/landing') ? undefined : url));
  expect((await browser.call(`${api.url}/admin-api/user/me`)).body.data).toMatchObject({ id, role: 'master' });
});
