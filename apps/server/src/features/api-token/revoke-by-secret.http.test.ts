import { createClient } from '@quarterdeck/sdk';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useApi } from '../../../test/start-api.ts';
import { newSecret } from '../../auth/secrets.ts';

const HOUR_MS = 3_600_000;

const api = useApi();
let stranger: ReturnType<typeof createClient>;
beforeAll(() => {
  stranger = createClient({ url: api.url });
});
beforeEach(() => api.server.deps.db.write((tx) => tx.prisma.throttle.deleteMany()));

const make = (body = {}) => api.admin.apiToken.create({ body });
const revoke = (...tokens: string[]) => stranger.apiToken.revoke({ body: { tokens } });
const works = async (apiToken: string) =>
  (await api.fetch('/admin-api/user/me', { headers: { 'API-Token': apiToken } })).status === 200;

describe('POST /admin-api/api_token/revoke', () => {
  it('revokes the tokens of the secrets, and returns only their number', async () => {
    const [a, b, c] = [await make(), await make(), await make()];
    expect(await revoke(a.token, b.token, a.token, newSecret('api_token'))).toEqual({ revoked: 2 });
    expect(await Promise.all([a, b, c].map(({ token }) => works(token)))).toEqual([false, false, true]);
    expect(await revoke(a.token, b.token)).toEqual({ revoked: 0 });
    const entries = await api.server.deps.db.read.prisma.audit.findMany({
      where: { action: 'api_token.revoke', targetId: { in: [a.id, b.id, c.id] } },
      orderBy: { targetId: 'asc' },
    });
    expect(entries.map(({ targetId }) => targetId)).toEqual([a.id, b.id]);
    expect(entries[0]).toMatchObject({ actorKind: 'nobody', address: '127.0.0.1', targetKind: 'api_token' });
  });

  it('ignores texts that are no secret of an API token', async () => {
    const { secret } = await api.agent();
    const mistyped = newSecret('api_token').replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    expect(await revoke('', 'nonsense', mistyped, api.adminToken, secret, '\u0000')).toEqual({ revoked: 0 });
    expect((await api.admin.user.me()).username).toBe('admin');
  });

  it('revokes a token by its replaced secret within the grace, and not after', async () => {
    const [within, after] = [await make(), await make()];
    const rotate = (id: number, grace: number) => api.admin.apiToken.rotate({ params: { id }, body: { grace } });
    const current = [await rotate(within.id, 600), await rotate(after.id, 0)];
    // It may have been replaced because somebody else has it: they shall not end the new one with it.
    expect(await revoke(within.token, after.token)).toEqual({ revoked: 1 });
    expect(await Promise.all(current.map(({ token }) => works(token)))).toEqual([false, true]);
  });

  it('revokes disabled and expired tokens, so that none is revived', async () => {
    const [off, over] = [await make(), await make({ expire: api.now() + 1000 })];
    await api.admin.apiToken.disable({ params: { id: off.id } });
    api.advance(1001);
    expect(await revoke(off.token, over.token)).toEqual({ revoked: 2 });
  });

  it('accepts 1,000 secrets at once', async () => {
    const { token } = await make();
    const many = Array.from({ length: 999 }, () => newSecret('api_token'));
    expect(await revoke(...many, token)).toEqual({ revoked: 1 });
    await expect(revoke(...many, token, token)).rejects.toMatchObject({ status: 400 });
  });

  it('accepts 60 calls an hour from one address at all servers together', async () => {
    const { token } = await make();
    const post = (body: unknown) => api.ask('POST', '/admin-api/api_token/revoke', body, {});
    const answers = await Promise.all(Array.from({ length: 70 }, () => post({ tokens: ['x'] })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    const { status, headers, body } = await post({ tokens: [token] });
    expect([status, body.err.code]).toEqual([429, 'too_many_requests']);
    const seconds = Number(headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(3500);
    expect(seconds).toBeLessThanOrEqual(3600);
    expect(await works(token)).toBe(true);
    api.advance(HOUR_MS + 1000);
    expect((await post({ tokens: [token] })).body.data).toEqual({ revoked: 1 });
    api.advance(-HOUR_MS - 1000);
  });
});
