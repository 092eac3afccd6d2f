// The session of a browser by cookie: wire contract section 12.
import { describe, expect, it } from 'vitest';
import { type Fetched, PASSWORD, useApi } from '../../test/start-api.ts';

const LOGIN = '/admin-api/user/login';
const ME = '/admin-api/user/me';
const SESSION = { 'quarterdeck-session': 'cookie' };

const api = useApi();

const login = (username: string, headers: Record<string, string> = SESSION, more: object = {}): Promise<Fetched> =>
  api.fetch(LOGIN, { method: 'POST', headers, body: JSON.stringify({ username, password: PASSWORD, ...more }) });

/** `Set-Cookie` of an answer as a pair and its attributes. */
function cookieOf({ headers }: Fetched): { pair: string; attributes: string[] } {
  const [pair = '', ...attributes] = (headers.get('set-cookie') ?? '').split('; ');
  return { pair, attributes };
}

async function outcome(headers: Record<string, string>, path = ME, method = 'GET'): Promise<string> {
  const { status, body } = await api.fetch(path, { method, headers });
  return status === 200 ? `200 ${body.data?.username}` : `${status} ${body.err.code}`;
}

describe('a sign-in for a browser', () => {
  it('answers without the token and sets a cookie that no script reads', async () => {
    const { username } = await api.person('operator');
    const answer = await login(username);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ username });
    expect(JSON.stringify(answer.body)).not.toContain('qd_');
    const { pair, attributes } = cookieOf(answer);
    // The tests speak plain HTTP to the loopback address.
    expect(pair).toMatch(/^quarterdeck=qd_s_\w+$/);
    expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Strict']);
    expect(await outcome({ ...SESSION, cookie: pair })).toBe(`200 ${username}`);
  });

  it('is for TLS alone behind a proxy, whatever name the proxy calls', async () => {
    const { username } = await api.person('viewer');
    const headers = { ...SESSION, 'x-forwarded-for': '203.0.113.7' };
    const { pair, attributes } = cookieOf(await login(username, headers));
    expect(pair).toMatch(/^__Host-quarterdeck=qd_s_\w+$/);
    expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Strict', 'Secure']);
    expect(await outcome({ ...headers, cookie: pair })).toBe(`200 ${username}`);
    // A page of the same domain without TLS can set the other name.
    expect(await outcome({ ...headers, cookie: pair.replace('__Host-', '') })).toBe('401 credential_missing');
  });

  it.each([
    ['names no client', {}],
    ['names the way to it', { via: '1.1 proxy' }],
    ['names the protocol', { 'x-forwarded-proto': 'https' }],
  ])('is for TLS alone where a proxy calls the server by a loopback name and %s', async (_, headers) => {
    const { username } = await api.person('viewer');
    const answer = await login(username, { ...SESSION, ...headers, origin: 'https://logs.example.com' });
    expect(cookieOf(answer).pair).toMatch(/^__Host-quarterdeck=qd_s_/);
    expect(cookieOf(answer).attributes).toContain('Secure');
  });

  it('is refused where the browser would not keep the cookie, with what to do', async () => {
    const { username } = await api.person('viewer');
    for (const origin of ['http://10.0.0.5:7080', 'http://logs.example.com', 'http://localhost.example.com']) {
      const { status, headers, body } = await login(username, { ...SESSION, origin }, { password: 'not even read' });
      expect([status, headers.get('set-cookie')]).toEqual([403, null]);
      expect(body.msg).toContain('https');
    }
    for (const origin of ['http://localhost:7080', 'http://[::1]:7080', 'http://logs.localhost']) {
      expect((await login(username, { ...SESSION, origin })).status).toBe(200);
    }
  });

  it('lasts longer than the window of the browser only where it is remembered', async () => {
    const { username } = await api.person('viewer');
    const { attributes } = cookieOf(await login(username, SESSION, { remember: true }));
    expect(attributes.find((one) => one.startsWith('Max-Age'))).toMatch(/^Max-Age=267\d{4}$/);
  });

  it('sets no cookie where nobody asks for one, or where the sign-in fails', async () => {
    const { username } = await api.person('viewer');
    expect((await login(username, {})).headers.get('set-cookie')).toBeNull();
    const failed = await login(username, SESSION, { password: 'a wrong password 1' });
    expect([failed.status, failed.headers.get('set-cookie')]).toEqual([401, null]);
  });

  it('is refused to pages of other origins', async () => {
    const { username } = await api.person('viewer');
    for (const site of ['cross-site', 'same-site', 'none']) {
      const answer = await login(username, { ...SESSION, 'sec-fetch-site': site });
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    }
  });
});

describe('the cookie', () => {
  it('counts only beside its header, for requests of the same origin', async () => {
    const { username } = await api.person('viewer');
    const { pair: cookie } = cookieOf(await login(username));
    // A form, an image or a link of another page brings the cookie at most.
    expect(await outcome({ cookie })).toBe('401 credential_missing');
    expect(await outcome({ cookie, 'quarterdeck-session': 'yes' })).toBe('401 credential_missing');
    expect(await outcome({ ...SESSION, cookie, 'sec-fetch-site': 'cross-site' })).toBe('401 credential_missing');
    expect(await outcome({ ...SESSION, cookie, 'sec-fetch-site': 'same-site' })).toBe('401 credential_missing');
    expect(await outcome({ ...SESSION, cookie, 'sec-fetch-site': 'same-origin' })).toBe(`200 ${username}`);
    expect(await outcome({ ...SESSION, cookie: `a=b; ${cookie}; c=d` })).toBe(`200 ${username}`);
  });

  it('is overruled by a credential of the request, whose end is not its own', async () => {
    const [one, other] = [await api.person('viewer'), await api.person('viewer')];
    const { pair: cookie } = cookieOf(await login(one.username));
    const headers = { ...SESSION, cookie, 'edge-token': other.token };
    expect(await outcome(headers)).toBe(`200 ${other.username}`);
    expect(await outcome({ ...SESSION, cookie, 'api-token': 'wrong' })).toBe('401 credential_invalid');
    const out = await api.fetch('/admin-api/user/logout', { method: 'POST', headers });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([200, null]);
    const refused = await api.fetch(ME, { headers });
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await outcome({ ...SESSION, cookie })).toBe(`200 ${one.username}`);
  });

  it('is not the one that a page of a neighbouring host has set in front of it', async () => {
    const [own, attacker] = [await api.person('viewer'), await api.person('viewer')];
    const safe = cookieOf(await login(own.username, { ...SESSION, origin: 'https://logs.example.com' })).pair;
    const { pair: tossed } = cookieOf(await login(attacker.username));
    expect(await outcome({ ...SESSION, cookie: `${tossed}; ${safe}` })).toBe(`200 ${own.username}`);
  });

  it('holds nothing but a session', async () => {
    const { token: secret } = await api.admin.apiToken.create({ body: { name: 'a token' } });
    expect(await outcome({ ...SESSION, cookie: `quarterdeck=${secret}` })).toBe('401 credential_invalid');
  });

  it('is removed by a sign-out, and by whatever else has ended the session', async () => {
    const { username } = await api.person('viewer');
    const gone = { pair: 'quarterdeck=', attributes: ['Path=/', 'HttpOnly', 'SameSite=Strict', 'Max-Age=0'] };
    const { pair: cookie } = cookieOf(await login(username));
    const out = await api.fetch('/admin-api/user/logout', { method: 'POST', headers: { ...SESSION, cookie } });
    expect([out.status, cookieOf(out)]).toEqual([200, gone]);
    const later = await api.fetch(ME, { headers: { ...SESSION, cookie } });
    expect([later.status, cookieOf(later)]).toEqual([401, gone]);
  });

  it('stays where only a password is refused', async () => {
    const { username } = await api.person('viewer');
    const { pair: cookie } = cookieOf(await login(username));
    const answer = await api.fetch('/admin-api/user/me/confirm', {
      method: 'POST',
      headers: { ...SESSION, cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ password: 'a wrong password 1' }),
    });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
  });

  it('opens the event stream', async () => {
    const { username } = await api.person('viewer');
    const { pair: cookie } = cookieOf(await login(username));
    const ended = new AbortController();
    const stream = await fetch(`${api.url}/admin-api/events`, {
      headers: { ...SESSION, cookie },
      signal: ended.signal,
    });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    ended.abort();
  });
});
