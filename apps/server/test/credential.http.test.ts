// The credential of a request: its headers, their order, and the places where it never appears.
import { describe, expect, it, vi } from 'vitest';
import { newSecret } from '../src/auth/secrets.ts';
import { useSharedApi } from './start-api.ts';
import { tokenStore } from './token-store.ts';

type Headers = Readonly<Record<string, string>>;

const api = useSharedApi();

const { storeToken } = tokenStore(() => api);

describe('the credential of a request', () => {
  const me = '/admin-api/user/me';
  const code = async (headers: Headers, path = me) => {
    const { status, body } = await api.fetch(path, { headers });
    return status === 200 ? `200 ${body.data.credential.kind} of ${body.data.username}` : `${status} ${body.err.code}`;
  };

  it('is taken from API-Token, then edge-token, then Auth, then Authorization', async () => {
    const owners: Record<string, string> = {};
    const credentials: [string, string][] = [];
    for (const header of ['API-Token', 'edge-token', 'Auth', 'Authorization']) {
      const { id, token, username } = await api.person('viewer');
      owners[header] = username;
      if (header === 'API-Token') credentials.push([header, await storeToken(id)]);
      else credentials.push([header, header === 'Authorization' ? `Bearer ${token}` : token]);
    }
    for (let first = 0; first < credentials.length; first += 1) {
      const [header = ''] = credentials[first] ?? [];
      const present = Object.fromEntries(credentials.slice(first));
      const kind = header === 'API-Token' ? 'api_token' : 'session';
      expect(await code(present)).toBe(`200 ${kind} of ${owners[header]}`);
      // The first credential is invalid: no other one is tried.
      expect(await code({ ...present, [header]: 'no good' })).toBe('401 credential_invalid');
      expect(await code({ ...present, [header]: newSecret('session') })).toBe('401 credential_invalid');
    }
  });

  it('is absent where its header is empty', async () => {
    const { token, username } = await api.person('viewer');
    expect(await code({ 'API-Token': '', 'edge-token': '', Auth: '', Authorization: `Bearer ${token}` })).toBe(
      `200 session of ${username}`,
    );
    expect(await code({ 'API-Token': '   ', 'edge-token': token })).toBe(`200 session of ${username}`);
  });

  it('may come as a bearer in any case of the word, with any number of spaces', async () => {
    const { token, username } = await api.person('viewer');
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER    ']) {
      expect(await code({ Authorization: scheme + token })).toBe(`200 session of ${username}`);
    }
    for (const scheme of ['Bearer', 'Token ', '', 'Bearer Bearer ']) {
      expect(await code({ Authorization: scheme + token })).toBe('401 credential_invalid');
    }
  });

  it('is never taken from the query, a cookie or the body', async () => {
    const { id, token } = await api.person('master');
    const apiToken = await storeToken(id);
    for (const name of ['edge-token', 'API-Token', 'api-token', 'token', 'access_token', 'Auth', 'Authorization']) {
      for (const value of [token, apiToken]) {
        expect(await code({}, `${me}?${name}=${value}`)).toBe('401 credential_missing');
        expect(await code({ Cookie: `${name}=${value}` })).toBe('401 credential_missing');
        const { status } = await api.ask('POST', '/admin-api/api_token', { name: 'x', [name]: value }, {});
        expect(status).toBe(401);
      }
    }
  });

  it('is refused when its header comes twice', async () => {
    const { token } = await api.person('viewer');
    const headers = new Headers({ 'edge-token': token });
    headers.append('edge-token', token);
    const { status, body } = await api.fetch(me, { headers });
    expect([status, body.err.code]).toEqual([401, 'credential_invalid']);
  });

  it('does not keep anybody from signing in', async () => {
    const { username } = await api.person('viewer');
    const leftOver = { 'edge-token': 'left over', 'API-Token': newSecret('api_token') };
    const login = { username, password: 'wrong' };
    const { status, body } = await api.ask('POST', '/admin-api/user/login', login, leftOver);
    expect([status, body.err.code]).toEqual([401, 'login_failed']);
  });

  it('appears in no log line and no answer', async () => {
    const { token } = await api.person('viewer');
    await api.fetch(me, { headers: { 'edge-token': token } });
    const { body } = await api.fetch('/admin-api/api_token/x', { headers: { 'edge-token': token } });
    expect(JSON.stringify(body)).not.toContain(token);
    // The line follows the answer.
    await vi.waitFor(() => expect(api.logged.join('')).toContain('/admin-api/api_token/x'), { timeout: 50_000 });
    expect(api.logged.join('')).not.toContain(token);
  });

  it('has the current role of its user for each request', async () => {
    const { id, token } = await api.person('viewer');
    const agent = { node_id: `node-${id}`, hostname: 'h' };
    const register = () => api.ask('POST', '/api/agents/register', agent, { 'edge-token': token });
    expect((await register()).status).toBe(403);
    const setRole = (role: string) =>
      api.server.deps.db.write((tx) => tx.prisma.user.update({ where: { id }, data: { role } }));
    await setRole('operator');
    expect((await register()).status).toBe(200);
    await setRole('a role of a newer version');
    expect((await register()).status).toBe(403);
    expect((await api.fetch(me, { headers: { 'edge-token': token } })).body.data.permissions).toEqual([]);
  });
});
