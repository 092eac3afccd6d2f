// Jobs that get an API token for the id token of their issuer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../../../test/thoroughness.ts';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { startTokenIssuer, type TokenIssuer } from '../../../test/token-issuer.ts';

const MINUTE_MS = 60_000;
const TRUST = '/admin-api/trust';
let api: TestApi;
let issuer: TokenIssuer;

beforeAll(async () => {
  api = await startApi({ TRUST_ALLOW: '127.0.0.1' });
  issuer = await startTokenIssuer(() => api.now());
  await trust({ name: 'deploy', subject: 'repo:org/*:ref:refs/heads/main' });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

async function trust(rule: object, headers?: Record<string, string>) {
  const usual = { issuer: issuer.url, audience: 'quarterdeck', scopes: ['change:write', 'errlog:read'] };
  return (await api.ask('POST', TRUST, { ...usual, ...rule }, headers)).body;
}

/** Each request from an address of its own: refused ones are counted for it. */
const exchange = (token: string) => api.ask('POST', '/admin-api/api_token/exchange', { token }, {});
const me = (token: string) => api.fetch('/admin-api/user/me', { headers: { 'API-Token': token } });
const forget = () => api.server.deps.db.write((tx) => tx.prisma.throttle.deleteMany());

describe('the id token of a job', () => {
  it('becomes an API token of an hour with the scopes of the rule, and an entry with the claims', async () => {
    const claims = { repository: 'org/name', run_id: '7', actor: 'ann\u001b[31m' };
    const { status, body } = await exchange(await issuer.sign(claims));
    expect(status).toBe(200);
    const { token, expire, name } = body.data;
    expect(expire - api.now()).toBeGreaterThan(59 * MINUTE_MS);
    expect(expire - api.now()).toBeLessThanOrEqual(60 * MINUTE_MS);
    expect(name).toBe('deploy: repo:org/name:ref:refs/heads/main');
    expect((await me(token)).body.data.permissions).toEqual(['errlog:read', 'change:write']);
    const { data } = await api.admin.audit.list({ query: { action: 'api_token.exchange', page_size: 1 } });
    expect(data[0]?.detail).toMatchObject({
      scopes: 'errlog:read change:write',
      claims: { sub: 'repo:org/name:ref:refs/heads/main', run_id: '7', actor: expect.not.stringContaining('\u001b') },
    });
    const rule = (await api.admin.trust.list()).data.find((one) => one.name === 'deploy');
    expect(rule?.last_used).toEqual(expect.any(Number));
  });

  it('works once', async () => {
    const token = await issuer.sign();
    expect((await exchange(token)).status).toBe(200);
    const again = await exchange(token);
    expect([again.status, again.body.msg]).toEqual([401, expect.stringContaining('was exchanged before')]);
    const both = await issuer.sign();
    const answers = await Promise.all([exchange(both), exchange(both)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    await forget();
  });

  it('is refused with a wrong claim, signature, algorithm or time', async () => {
    const now = Math.floor(api.now() / 1000);
    const good = await issuer.sign();
    const [head = '', body = '', signature = ''] = good.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    const wrong: [string, number][] = [
      [await issuer.sign({ aud: 'other' }), 403],
      [await issuer.sign({ aud: ['other', 'quarterdeck-2'] }), 403],
      [await issuer.sign({ sub: 'repo:org/name:ref:refs/heads/other' }), 403],
      [await issuer.sign({ sub: 'repo:org/name:pull_request:ref:refs/heads/main' }), 403],
      [await issuer.sign({ iss: 'https://other.example' }), 401],
      [await issuer.sign({ iss: `${issuer.url}/` }), 401],
      [await issuer.sign({ exp: now - 120, iat: now - 400 }), 401],
      [await issuer.sign({ iat: now + 300 }), 401],
      [await issuer.sign({ iat: now - 2 * 86_400 }), 401],
      [await issuer.sign({ nbf: now + 300 }), 401],
      [await issuer.sign({ exp: undefined }), 401],
      [await issuer.sign({ sub: undefined }), 401],
      [`${none}.${body}.`, 401],
      [`${head}.${body}.${signature.split('').reverse().join('')}`, 401],
      [`${head}.${Buffer.from('{"iss":1}').toString('base64url')}.x`, 401],
      ['a.b.c', 401],
    ];
    await forget();
    for (const [token, status] of wrong) expect((await exchange(token)).status, token).toBe(status);
    await forget();
    // A clock that is a little late or early.
    expect((await exchange(await issuer.sign({ iat: now + 30, exp: now + 300 }))).status).toBe(200);
    expect((await exchange(await issuer.sign({ iat: now - 300, exp: now - 30 }))).status).toBe(200);
  });

  it('is verified with keys that the issuer has rotated', async () => {
    expect((await exchange(await issuer.sign())).status).toBe(200);
    await issuer.rotateKeys();
    api.advance(6_000);
    expect((await exchange(await issuer.sign())).status).toBe(200);
  });

  it('has the server fetch the keys of issuers of rules alone, and follow no redirect', async () => {
    await using stranger = await startTokenIssuer();
    expect((await exchange(await stranger.sign())).status).toBe(401);
    expect(stranger.requests).toEqual([]);
    await trust({ issuer: stranger.url, subject: 'x' });
    const metadata = '/.well-known/openid-configuration';
    stranger.answers.set(metadata, { status: 302, headers: { location: `${issuer.url}${metadata}` } });
    const seen = issuer.requests.length;
    expect((await exchange(await stranger.sign())).status).toBe(503);
    expect(issuer.requests.length).toBe(seen);
    stranger.answers.set(metadata, { status: 200, body: ' '.repeat(600_000) });
    expect((await exchange(await stranger.sign())).status).toBe(503);
    await forget();
  });

  it.runIf(IS_THOROUGH)('is no way into a private network', async () => {
    await using closed = await startApi();
    const body = { issuer: issuer.url, audience: 'quarterdeck', subject: 'repo:org/name', scopes: ['errlog:read'] };
    expect((await closed.ask('POST', TRUST, body)).status).toBe(200);
    const seen = issuer.requests.length;
    const { status } = await closed.ask('POST', '/admin-api/api_token/exchange', { token: await issuer.sign() }, {});
    expect([status, issuer.requests.length]).toEqual([503, seen]);
  });

  it.runIf(IS_THOROUGH)('may be wrong 20 times in 15 minutes for an address', async () => {
    for (let wrong = 0; wrong < 20; wrong += 1) await exchange('a.b.c');
    expect((await exchange(await issuer.sign())).status).toBe(429);
    await forget();
  });
});

describe('a token of a rule', () => {
  const subject = (name: string) => `repo:org/${name}:environment:prod`;
  async function tokenOf(name: string, rule: object = {}) {
    const made = await trust({ subject: subject(name), ...rule });
    const { data } = (await exchange(await issuer.sign({ sub: subject(name) }))).body;
    return { rule: made.data, ...data };
  }

  it('ends with its rule, with a change of it, and after an hour', async () => {
    const [removed, changed, old] = [await tokenOf('a'), await tokenOf('b'), await tokenOf('c')];
    await api.admin.trust.remove({ params: { id: removed.rule.id } });
    await api.admin.trust.update({ params: { id: changed.rule.id }, body: { scopes: ['errlog:read'] } });
    expect([(await me(removed.token)).status, (await me(changed.token)).status]).toEqual([401, 401]);
    expect((await me(old.token)).status).toBe(200);
    expect((await api.ask('PUT', `/admin-api/api_token/${old.id}`, { expire: 0 })).status).toBe(400);
    api.advance(61 * MINUTE_MS);
    expect((await me(old.token)).body.err.code).toBe('token_expired');
  });

  it('works from the addresses of its rule alone', async () => {
    const { token } = await tokenOf('d', { allowed_cidrs: ['192.0.2.0/24'] });
    expect((await me(token)).body.err.code).toBe('address_not_allowed');
  });

  it('has no more rights than the owner of the rule', async () => {
    const owner = await api.person('master');
    const made = await trust({ subject: subject('e') }, { 'edge-token': owner.token });
    expect(made.data.created_by).toBe(owner.username);
    await api.server.deps.db.write((tx) => tx.prisma.user.update({ where: { id: owner.id }, data: { role: 'none' } }));
    expect((await exchange(await issuer.sign({ sub: subject('e') }))).status).toBe(403);
  });
});

it('lets an API token make rules within its own rights, if it does not expire itself', async () => {
  const scopes = ['api_token:manage', 'errlog:read'] as const;
  const { token } = await api.admin.apiToken.create({ body: { name: 'as code', scopes: [...scopes] } });
  const key = { 'API-Token': token };
  expect((await trust({ subject: 'x', scopes: ['errlog:read'] }, key)).status).toBe(0);
  expect((await trust({ subject: 'x', scopes: ['user:write'] }, key)).status).toBe(400);
  const body = { name: 'short', scopes: [...scopes], expire: api.now() + 3_600_000 };
  const short = await api.admin.apiToken.create({ body });
  expect((await trust({ subject: 'x', scopes: ['errlog:read'] }, { 'API-Token': short.token })).status).toBe(403);
});
