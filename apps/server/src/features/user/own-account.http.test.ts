import { signIn } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { PASSWORD, useSharedApi } from '../../../test/start-api.ts';

const NEW_PASSWORD = 'eleven tugboats at anchor';

const api = useSharedApi();

const signInAs = (username: string, password = PASSWORD) => signIn({ url: api.url, username, password });

const auditOf = async (userId: number) =>
  (await api.server.deps.db.read.prisma.audit.findMany({ orderBy: { id: 'asc' } })).filter(
    (row) => row.actorId === userId || (row.targetKind === 'user' && row.targetId === userId),
  );

describe('PUT /admin-api/user/me/password', () => {
  it('stores the new password, and ends all other sessions for their next request', async () => {
    const person = await api.person('viewer');
    const other = await signInAs(person.username);
    await person.client.user.changePassword({ body: { current_password: PASSWORD, password: NEW_PASSWORD } });
    await expect(other.client.user.me()).rejects.toMatchObject({ code: 'credential_invalid' });
    expect((await person.client.user.me()).id).toBe(person.id);
    await expect(signInAs(person.username)).rejects.toMatchObject({ code: 'login_failed' });
    await signInAs(person.username, NEW_PASSWORD);
  });

  it('refuses a password that breaks the rules, naming the field', async () => {
    const { client, username } = await api.person('viewer');
    const call = client.user.changePassword({ body: { current_password: PASSWORD, password: `${username}!` } });
    await expect(call).rejects.toMatchObject({
      status: 400,
      code: 'validation_failed',
      fields: [{ path: 'body.password', message: expect.any(String) }],
    });
  });

  it('throttles guesses at the current password like sign-ins', async () => {
    const { client } = await api.person('viewer');
    const change = (current: string) =>
      client.user.changePassword({ body: { current_password: current, password: NEW_PASSWORD } });
    for (let i = 0; i < 5; i += 1) await expect(change('wrong')).rejects.toMatchObject({ code: 'login_failed' });
    await expect(change(PASSWORD)).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('succeeds once of two parallel changes', async () => {
    const person = await api.person('viewer');
    const others = ['nine lanterns on the quay', 'seven anchors in the bay'];
    const results = await Promise.allSettled(
      others.map((password) => person.client.user.changePassword({ body: { current_password: PASSWORD, password } })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('own sessions', () => {
  it('are listed newest first, with the current one marked', async () => {
    const person = await api.person('viewer');
    const newer = await signInAs(person.username);
    const { data, meta } = await person.client.user.sessions();
    expect(meta.count).toBe(2);
    expect(data.map(({ current }) => current)).toEqual([false, true]);
    expect(data[0]).toEqual({
      id: (await newer.client.user.me()).credential.id,
      current: false,
      address: expect.stringContaining('127.0.0.1'),
      client: expect.any(String),
      created: expect.any(Number),
      last_used: expect.any(Number),
      expire: newer.login.expire,
      idle_until: 0,
    });
    expect((await person.client.user.sessions({ query: { page_size: 0 } })).data).toEqual([]);
    expect((await person.client.user.sessions({ query: { page: 2, page_size: 1 } })).data[0]?.current).toBe(true);
  });

  it('are listed without the expired ones', async () => {
    const { client, id, username } = await api.person('viewer');
    await api.server.deps.db.write((tx) =>
      tx.prisma.session.updateMany({ where: { userId: id }, data: { expireMs: 1n } }),
    );
    const later = await signInAs(username);
    await expect(client.user.me()).rejects.toMatchObject({ code: 'session_expired' });
    expect((await later.client.user.sessions()).meta.count).toBe(1);
  });

  it('end one by one, for their next request', async () => {
    const person = await api.person('viewer');
    const other = await signInAs(person.username);
    const { id } = (await other.client.user.me()).credential;
    await person.client.user.removeSession({ params: { id } });
    await expect(other.client.user.me()).rejects.toMatchObject({ code: 'credential_invalid' });
    await expect(person.client.user.removeSession({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('end all except the current one', async () => {
    const person = await api.person('viewer');
    const others = [await signInAs(person.username), await signInAs(person.username)];
    await person.client.user.removeOtherSessions();
    for (const { client } of others) {
      await expect(client.user.me()).rejects.toMatchObject({ code: 'credential_invalid' });
    }
    expect((await person.client.user.sessions()).meta.count).toBe(1);
  });
});

describe('the audit log', () => {
  it('records every sign-in and every change, and no secret', async () => {
    const person = await api.person('viewer');
    await expect(signInAs(person.username, 'a wrong one')).rejects.toMatchObject({ code: 'login_failed' });
    await person.client.user.changePassword({ body: { current_password: PASSWORD, password: NEW_PASSWORD } });
    await person.client.user.removeOtherSessions();
    await person.client.user.logout();
    const rows = await auditOf(person.id);
    expect(rows.map(({ action }) => action)).toEqual([
      'user.login',
      'user.login_failed',
      'user.password_change',
      'user.sessions_end',
      'user.logout',
    ]);
    expect(JSON.parse(rows[1]?.detail ?? '')).toEqual({
      reason: 'password',
      purpose: 'sign_in',
      username: person.username,
    });
    expect(rows[0]).toMatchObject({ actorKind: 'user', actorName: person.username });
    const text = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
    for (const secret of [PASSWORD, NEW_PASSWORD, 'a wrong one', person.token]) expect(text).not.toContain(secret);
  });
});

describe('the sessions of one user', () => {
  it('are a hundred at most: each further sign-in ends the oldest one', async () => {
    const person = await api.person('viewer');
    const neighbour = await api.person('viewer');
    const { prisma } = api.server.deps.db.read;
    // One that has expired takes nobody's place.
    const { id: _, ...row } = await prisma.session.findFirstOrThrow({ where: { userId: person.id } });
    const oldest = await signInAs(person.username);
    const others = Array.from({ length: 98 }, (__, i) => ({ ...row, tokenHash: new Uint8Array(32).fill(i + 1) }));
    await api.server.deps.db.write(async (tx) => {
      await tx.prisma.session.updateMany({ where: { tokenHash: row.tokenHash }, data: { expireMs: 1n } });
      await tx.prisma.session.createMany({ data: others });
    });
    const logins = async () => (await auditOf(person.id)).filter(({ action }) => action === 'user.login');
    const hundredth = await signInAs(person.username);
    await oldest.client.user.me();
    expect(JSON.parse((await logins()).at(-1)?.detail ?? '')).not.toHaveProperty('ended');
    const last = await signInAs(person.username);
    await expect(oldest.client.user.me()).rejects.toMatchObject({ code: 'credential_invalid' });
    await Promise.all([hundredth, last, neighbour].map(({ client }) => client.user.me()));
    expect((await last.client.user.sessions()).meta.count).toBe(100);
    expect(JSON.parse((await logins()).at(-1)?.detail ?? '')).toMatchObject({ ended: 1 });
  });
});
