// Signing in with a real provider, over HTTP.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/new-folder.ts';
import { IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import { Browser } from '../../../test/browser.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../../../test/identity-provider.ts';
import { PASSWORD, startApi, type TestApi } from '../../../test/start-api.ts';

const folder = newFolder();
let provider: IdentityProvider;
let other: IdentityProvider;
let api: TestApi;

beforeAll(async () => {
  [provider, other] = await Promise.all([startIdentityProvider(), startIdentityProvider()]);
  const secretFile = join(folder, 'client-secret');
  writeFileSync(secretFile, `${CLIENT.secret}\n`);
  api = await startApi({
    OIDC_CORP_ISSUER: provider.issuer,
    OIDC_CORP_CLIENT_ID: CLIENT.id,
    OIDC_CORP_CLIENT_SECRET_FILE: secretFile,
    OIDC_CORP_SCOPES: 'openid profile groups',
    OIDC_CORP_ROLE_MAP: 'ops=operator,admins=master,all=viewer',
    OIDC_OTHER_ISSUER: other.issuer,
    OIDC_OTHER_CLIENT_ID: CLIENT.id,
    OIDC_OTHER_CLIENT_SECRET_FILE: secretFile,
    OIDC_OTHER_SECOND_FACTOR: 'amr=mfa',
  });
  await provider.register(api.url, 'corp');
  await other.register(api.url, 'other');
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

let people = 0;
/** A person at a provider who signs in next. */
function person(claims: Record<string, unknown>, at = provider): string {
  people += 1;
  const subject = `person-${people}`;
  at.people.set(subject, { preferred_username: `ann${people}`, ...claims });
  at.next = subject;
  return subject;
}
const START = '/auth/oidc/corp';
const back = (url: string) => (url.startsWith(api.url) && new URL(url).pathname === '/landing' ? undefined : url);
const signIn = (browser: Browser, path = `${START}?to=/landing`) => browser.open(api.url + path, back);
const me = (browser: Browser) => browser.call(`${api.url}/admin-api/user/me`);

describe('a person of a provider', () => {
  it('gets a session in a cookie, with the greatest role of the claims', async () => {
    const browser = new Browser();
    const subject = person({ groups: ['all', 'ops'] });
    await signIn(browser);
    expect(await me(browser)).toMatchObject({
      status: 200,
      body: { data: { username: `ann${people}`, role: 'operator', provider: 'corp' } },
    });
    const { data } = await api.admin.audit.list({ query: { action: 'user.login', page_size: 1 } });
    expect(data[0]?.detail).toMatchObject({ provider: 'corp', subject });
    expect((await api.fetch('/admin-api/user/providers')).body.data).toEqual({
      password_login: 'all',
      providers: [
        { name: 'corp', path: '/auth/oidc/corp' },
        { name: 'other', path: '/auth/oidc/other' },
      ],
    });
  });

  it.runIf(IS_THOROUGH)('is the same user again, with the role that the claims give now', async () => {
    const [first, second] = [new Browser(), new Browser()];
    const subject = person({ groups: 'ops' });
    await signIn(first);
    const before = (await me(first)).body.data;
    provider.people.set(subject, { preferred_username: 'renamed', groups: ['all'] });
    await signIn(second);
    expect((await me(second)).body.data).toMatchObject({ id: before.id, username: before.username, role: 'viewer' });
    expect((await me(first)).body.data.role).toBe('viewer');
  });

  it.runIf(IS_THOROUGH)('is nobody else for having the name of a user', async () => {
    const { username, id } = await api.person('master');
    const browser = new Browser();
    person({ preferred_username: username, groups: ['all'] });
    await signIn(browser);
    expect((await me(browser)).body.data).toMatchObject({ username: `${username}-2`, role: 'viewer' });
    expect((await me(browser)).body.data.id).not.toBe(id);
  });

  it('without a role in the map is refused', async () => {
    const browser = new Browser();
    person({ groups: ['guests'] });
    const visit = await signIn(browser);
    expect([visit.status, visit.text]).toEqual([403, expect.stringContaining('gives you no role here')]);
    expect((await me(browser)).status).toBe(401);
  });

  it.runIf(IS_THOROUGH)('loses the role with the next sign-in, and with it the rights of API tokens', async () => {
    const browser = new Browser();
    const subject = person({ groups: ['ops'] });
    await signIn(browser);
    const body = { name: 'of ann' };
    const { token } = (await browser.call(`${api.url}/admin-api/api_token`, { method: 'POST', body })).body.data;
    const read = () => api.fetch('/admin-api/log_server/errlog', { headers: { 'API-Token': token } });
    expect((await read()).status).toBe(200);
    await browser.call(`${api.url}/admin-api/user/logout`, { method: 'POST' });
    provider.people.set(subject, { groups: [] });
    expect((await signIn(new Browser())).status).toBe(403);
    expect((await read()).status).toBe(403);
  });

  it.runIf(IS_THOROUGH)('of a provider without a map has no rights until somebody gives them', async () => {
    const browser = new Browser();
    person({}, other);
    await signIn(browser, '/auth/oidc/other?to=/landing');
    const { id, role, permissions } = (await me(browser)).body.data;
    expect([role, permissions]).toEqual(['none', []]);
    expect((await browser.call(`${api.url}/admin-api/log_server/errlog`)).status).toBe(403);
    await api.admin.user.update({ params: { id }, body: { role: 'viewer' } });
    await signIn(browser, '/auth/oidc/other?to=/landing');
    expect((await browser.call(`${api.url}/admin-api/log_server/errlog`)).status).toBe(200);
  });

  it.runIf(IS_THOROUGH)('needs a second factor of the provider where the role needs one', async () => {
    const subject = person({}, other);
    const path = '/auth/oidc/other?to=/landing';
    const browser = new Browser();
    await signIn(browser, path);
    const { id } = (await me(browser)).body.data;
    await api.admin.user.update({ params: { id }, body: { role: 'operator' } });
    const require2fa = (roles: ['operator'] | []) => api.admin.user.updatePolicy({ body: { require_2fa: roles } });
    await require2fa(['operator']);
    try {
      expect((await signIn(browser, path)).text).toContain('You need a second factor');
      other.amr = ['pwd', 'mfa'];
      other.next = subject;
      const again = new Browser();
      await signIn(again, path);
      expect((await me(again)).body.data).toMatchObject({ role: 'operator', must_set_up_second_factor: false });
    } finally {
      other.amr = ['pwd'];
      await require2fa([]);
    }
  });
});

describe('a sign-in that is not right', () => {
  it.runIf(IS_THOROUGH)('is refused where the person refused at the provider', async () => {
    provider.next = undefined;
    const visit = await signIn(new Browser());
    expect([visit.status, visit.text]).toEqual([403, expect.stringContaining('refused at the provider')]);
  });

  it('is refused with the nonce of another sign-in', async () => {
    person({ groups: ['all'] });
    const swap = (url: string) => {
      const changed = new URL(url);
      if (changed.searchParams.has('nonce')) changed.searchParams.set('nonce', 'a'.repeat(64));
      return back(changed.href);
    };
    const browser = new Browser();
    expect((await browser.open(`${api.url}${START}?to=/landing`, swap)).status).toBe(400);
    expect((await me(browser)).status).toBe(401);
  });

  it('is refused with a code that was used, a state of another browser, and without its cookie', async () => {
    const browser = new Browser();
    person({ groups: ['all'] });
    let callback = '';
    let cookies: [string, string][] = [];
    const keep = (url: string) => {
      if (url.includes('/callback')) {
        callback = url;
        cookies = [...browser.cookies(api.url)];
      }
      return back(url);
    };
    await browser.open(`${api.url}${START}?to=/landing`, keep);
    expect((await me(browser)).status).toBe(200);
    const replay = new Browser();
    expect((await replay.open(callback, back)).status).toBe(400);
    for (const [name, value] of cookies) replay.cookies(api.url).set(name, value);
    expect((await replay.open(callback, back)).status).toBe(400);
    // A flow of its own, with the answer to another one.
    await replay.open(`${api.url}${START}`, () => undefined);
    expect((await replay.open(callback, back)).status).toBe(400);
    expect((await me(replay)).status).toBe(401);
  });

  it.runIf(IS_THOROUGH)('may be wrong 20 times in 15 minutes for an address', async () => {
    const forget = () => api.server.deps.db.write((tx) => tx.prisma.throttle.deleteMany());
    await forget();
    const statuses: number[] = [];
    for (let wrong = 0; wrong < 21; wrong += 1) {
      const visit = await new Browser().open(`${api.url}${START}`, (url) => {
        const state = new URL(url).searchParams.get('state');
        return url.startsWith(api.url) ? url : `${api.url}${START}/callback?code=guess&state=${state}`;
      });
      statuses.push(visit.status);
    }
    await forget();
    expect(statuses).toEqual([...Array(20).fill(400), 429]);
  });

  it.runIf(IS_THOROUGH)('is refused with the answer of another issuer', async () => {
    person({ groups: ['admins'] });
    person({}, other);
    let fromOther = '';
    await new Browser().open(`${api.url}/auth/oidc/other`, (url) => {
      if (!url.includes('/callback')) return url;
      fromOther = url;
      return undefined;
    });
    const browser = new Browser();
    const visit = await browser.open(`${api.url}${START}`, (url) => {
      if (!url.includes('/callback')) return url;
      const mixed = new URL(url);
      for (const name of ['code', 'iss']) mixed.searchParams.set(name, new URL(fromOther).searchParams.get(name) ?? '');
      return mixed.href;
    });
    expect(visit.status).toBe(400);
    expect((await me(browser)).status).toBe(401);
  });

  it.runIf(IS_THOROUGH)('never leads to another place', async () => {
    person({ groups: ['all'] });
    const visit = await new Browser().open(`${api.url}${START}?to=/.//evil.example`, (url) =>
      url === `${api.url}/` ? undefined : url,
    );
    expect(visit.status).toBe(303);
    expect(new URL(visit.url).origin).toBe(api.url);
  });
});

it.runIf(IS_THOROUGH)(
  'lets nobody in with a password whose role may not use one, and no one without a password',
  async () => {
    const browser = new Browser();
    person({ groups: ['admins'] });
    await signIn(browser);
    const { username } = (await me(browser)).body.data;
    for (const password of ['', ' ', PASSWORD]) {
      const { status } = await api.ask('POST', '/admin-api/user/login', { username, password }, {});
      expect([400, 401]).toContain(status);
    }
    const { body } = await api.ask(
      'POST',
      '/admin-api/user/login',
      { username, password: PASSWORD, plugin: 'corp' },
      {},
    );
    expect(body.msg).toContain('open /auth/oidc/corp in a browser');
  },
);

it.runIf(IS_THOROUGH)('finds keys that the provider has rotated', async () => {
  await signIn(new Browser(), `${START}?to=/landing`);
  await provider.rotateKeys();
  const browser = new Browser();
  person({ groups: ['all'] });
  await signIn(browser);
  expect((await me(browser)).status).toBe(200);
});

describe('a link of a person to a user', () => {
  const link = '/auth/oidc/other?purpose=link&to=/landing';

  /** A browser in which a user has signed in with a password. */
  async function withPassword() {
    const user = await api.person('operator');
    const browser = new Browser();
    const body = { username: user.username, password: PASSWORD };
    await browser.call(`${api.url}/admin-api/user/login`, { method: 'POST', body });
    return { user, browser };
  }

  it('is made in a session that proves both', async () => {
    const { user, browser } = await withPassword();
    const subject = person({}, other);
    await signIn(browser, link);
    const again = new Browser();
    await signIn(again, '/auth/oidc/other?to=/landing');
    expect((await me(again)).body.data).toMatchObject({ id: user.id, role: 'operator', provider: 'other' });
    const { data } = await api.admin.identity.list({ params: { id: user.id } });
    expect(data).toMatchObject([{ issuer: other.issuer, subject }]);
    const { browser: stranger } = await withPassword();
    expect((await signIn(stranger, link)).status).toBe(409);
  });

  it.runIf(IS_THOROUGH)('needs a session, which has proved itself a moment ago', async () => {
    person({}, other);
    expect((await signIn(new Browser(), link)).status).toBe(401);
    const { user, browser } = await withPassword();
    const where = { userId: user.id };
    await api.server.deps.db.write((tx) => tx.prisma.session.updateMany({ where, data: { confirmedMs: 0 } }));
    expect((await signIn(browser, link)).status).toBe(403);
  });

  it.runIf(IS_THOROUGH)('is made and ended by an administrator', async () => {
    const { id } = await api.person('viewer');
    const subject = person({}, other);
    const made = await api.admin.identity.create({ params: { id }, body: { issuer: other.issuer, subject } });
    const browser = new Browser();
    await signIn(browser, '/auth/oidc/other?to=/landing');
    expect((await me(browser)).body.data).toMatchObject({ id, role: 'viewer' });
    await api.admin.identity.remove({ params: { id, identity_id: made.id } });
    expect((await me(browser)).status).toBe(401);
  });
});

it('confirms a session through the provider, which asks for the credentials again', async () => {
  const browser = new Browser();
  const subject = person({ groups: ['admins'] });
  await signIn(browser);
  const { id } = (await me(browser)).body.data;
  const where = { userId: id };
  await api.server.deps.db.write((tx) => tx.prisma.session.updateMany({ where, data: { confirmedMs: 0 } }));
  const change = () => browser.call(`${api.url}/admin-api/user/policy`, { method: 'PUT', body: { require_2fa: [] } });
  expect((await change()).body.err.code).toBe('reauthentication_required');
  // Somebody else signs in at the provider.
  const atProvider = new Map(browser.cookies(provider.issuer));
  browser.cookies(provider.issuer).clear();
  person({ groups: ['admins'] });
  const confirm = '/auth/oidc/corp?purpose=confirm&to=/landing';
  expect((await signIn(browser, confirm)).status).toBe(403);
  expect((await change()).status).toBe(403);
  browser.cookies(provider.issuer).clear();
  for (const [name, value] of atProvider) browser.cookies(provider.issuer).set(name, value);
  provider.next = subject;
  await signIn(browser, confirm);
  expect((await change()).status).toBe(200);
});

describe('the end of a session', () => {
  it('comes at once when the provider says so', async () => {
    const [ended, going] = [new Browser(), new Browser()];
    const subject = person({ groups: ['all'] });
    await signIn(ended);
    const terminal = await api.ask('POST', '/admin-api/user/device', { name: 'ann@gw1' }, {});
    const { user_code: code, device_code: device } = terminal.body.data;
    const confirm = `${api.url}/admin-api/user/device/confirm`;
    expect((await ended.call(confirm, { method: 'POST', body: { user_code: code } })).status).toBe(200);
    const token = await api.ask('POST', '/admin-api/user/device/token', { device_code: device }, {});
    const asTerminal = () =>
      api.fetch('/admin-api/user/me', { headers: { 'edge-token': token.body.data['edge-token'] } });
    expect((await asTerminal()).status).toBe(200);
    person({ groups: ['all'] });
    await signIn(going);
    await provider.logout(subject);
    expect([(await me(ended)).status, (await asTerminal()).status, (await me(going)).status]).toEqual([401, 401, 200]);
  });

  it('needs a token of the provider', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (body: string, headers = form) =>
      fetch(`${api.url}/auth/oidc/corp/backchannel-logout`, { method: 'POST', headers, body });
    expect((await send('logout_token=a.b.c')).status).toBe(400);
    expect((await send('')).status).toBe(400);
    expect(
      (await fetch(`${api.url}/auth/oidc/none/backchannel-logout`, { method: 'POST', headers: form })).status,
    ).toBe(400);
  });

  it('leads a browser to the sign-out of the provider', async () => {
    const browser = new Browser();
    person({ groups: ['all'] });
    await signIn(browser);
    await browser.call(`${api.url}/admin-api/user/logout`, { method: 'POST' });
    expect((await me(browser)).status).toBe(401);
    const visit = await browser.open(`${api.url}/auth/oidc/corp/logout`);
    expect([visit.status, new URL(visit.url).origin]).toEqual([200, provider.issuer]);
    expect(new URL(visit.url).searchParams.get('post_logout_redirect_uri')).toBe(api.url);
  });
});
