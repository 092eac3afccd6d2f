import { randomUUID } from 'node:crypto';
import { signIn } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { PASSWORD, startApi, useApi } from '../../../test/start-api.ts';

const NEW_PASSWORD = 'eleven tugboats at anchor';

const api = useApi();

const draft = (name = `ann-${randomUUID()}`) => ({ username: name, password: NEW_PASSWORD, role: 'viewer' as const });
const refusal = (code: string) => expect.objectContaining({ code });

describe('a user', () => {
  it('is created, found, listed and signs in', async () => {
    const made = await api.admin.user.create({ body: draft() });
    expect(made).toEqual({
      id: expect.any(Number),
      username: made.username,
      role: 'viewer',
      disabled: false,
      second_factor: false,
      _created_unix: expect.any(Number),
      _modified_unix: expect.any(Number),
    });
    expect(await api.admin.user.get({ params: { id: made.id } })).toEqual(made);
    expect(await api.admin.user.search({ query: { name: made.username } })).toEqual(made);
    expect((await api.admin.user.list()).data[0]).toEqual(made);
    const { login } = await signIn({ url: api.url, username: made.username, password: NEW_PASSWORD });
    expect(login).toMatchObject({ id: made.id, role: 'viewer' });
  });

  it('is an empty object for an unknown name', async () => {
    expect(await api.admin.user.search({ query: { name: 'nobody' } })).toEqual({});
    expect(await api.admin.user.search()).toEqual({});
    expect(await api.admin.userGroup.list()).toEqual([]);
  });

  it('is not found by an unknown id', async () => {
    const params = { id: 2_147_483_647 };
    const { user } = api.admin;
    for (const verb of ['get', 'remove', 'unlock', 'endSessions', 'resetSecondFactor'] as const) {
      await expect(user[verb]({ params }), verb).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(user.update({ params, body: { disabled: true } })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keeps the case of the name, which no other user can have in any case', async () => {
    const name = `Ann-${randomUUID()}`;
    const ann = await api.admin.user.create({ body: draft(name) });
    expect(ann.username).toBe(name);
    const taken = refusal('username_taken');
    await expect(api.admin.user.create({ body: draft(name) })).rejects.toEqual(taken);
    await expect(api.admin.user.create({ body: draft(name.toUpperCase()) })).rejects.toEqual(taken);
    const bob = await api.admin.user.create({ body: draft() });
    const rename = (id: number, username: string) => api.admin.user.update({ params: { id }, body: { username } });
    await expect(rename(bob.id, name.toLowerCase())).rejects.toEqual(taken);
    await rename(ann.id, name.toLowerCase());
    expect((await api.admin.user.get({ params: { id: ann.id } })).username).toBe(name.toLowerCase());
  });

  it('is created once by parallel requests', async () => {
    const name = `race-${randomUUID()}`;
    const names = Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? name : name.toUpperCase()));
    const results = await Promise.allSettled(names.map((username) => api.admin.user.create({ body: draft(username) })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('is not created with a password that breaks the rules', async () => {
    const username = `ann-${randomUUID()}`;
    for (const password of ['short', '1qaz2wsx3edc4rfv', `${username}1`, 'quarterdeck-2026']) {
      await expect(api.admin.user.create({ body: { ...draft(username), password } })).rejects.toMatchObject({
        code: 'validation_failed',
        fields: [{ path: 'body.password', message: expect.any(String) }],
      });
    }
  });

  it.each([
    ['a new role', { role: 'operator' as const }],
    ['a new password', { password: NEW_PASSWORD }],
    ['being disabled', { disabled: true }],
  ])('loses all sessions by %s, for the next request', async (_, body) => {
    const person = await api.person('viewer');
    await api.admin.user.update({ params: { id: person.id }, body });
    await expect(person.client.user.me()).rejects.toMatchObject({ code: 'credential_invalid' });
    // Enabled again, nothing of what was ended comes back.
    await api.admin.user.update({ params: { id: person.id }, body: { disabled: false } });
    await expect(person.client.user.me()).rejects.toMatchObject({ code: 'credential_invalid' });
  });

  it('keeps the sessions after a rename', async () => {
    const person = await api.person('viewer');
    const username = `renamed-${randomUUID()}`;
    await api.admin.user.update({ params: { id: person.id }, body: { username } });
    expect((await person.client.user.me()).username).toBe(username);
  });

  it('is deleted with everything of theirs', async () => {
    const person = await api.person('viewer');
    await person.client.apiToken.create({ body: {} });
    await api.admin.user.remove({ params: { id: person.id } });
    await expect(person.client.user.me()).rejects.toMatchObject({ code: 'credential_invalid' });
    const { prisma } = api.server.deps.db.read;
    expect(await prisma.session.count({ where: { userId: person.id } })).toBe(0);
    expect(await prisma.apiToken.count({ where: { userId: person.id } })).toBe(0);
    const again = signIn({ url: api.url, username: person.username, password: PASSWORD });
    await expect(again).rejects.toMatchObject({ code: 'login_failed' });
  });
});

describe('the administrator of a new installation', () => {
  it('is recorded in the audit log', async () => {
    const [first] = await api.server.deps.db.read.prisma.audit.findMany({ orderBy: { id: 'asc' }, take: 1 });
    expect(first).toMatchObject({ action: 'user.create', actorKind: 'system', targetKind: 'user' });
  });

  it('refuses a common password', async () => {
    const started = startApi({ ADMIN_PASSWORD: '123456789012345678' });
    await expect(started).rejects.toThrow(/^QUARTERDECK_ADMIN_PASSWORD must not be a run/);
  });
});

describe('the last master', () => {
  it('is not demoted, disabled or deleted', async () => {
    await using own = await startApi();
    const params = { id: (await own.admin.user.me()).id };
    const last = { status: 409, code: 'last_master' };
    await expect(own.admin.user.update({ params, body: { role: 'viewer' } })).rejects.toMatchObject(last);
    await expect(own.admin.user.update({ params, body: { disabled: true } })).rejects.toMatchObject(last);
    await expect(own.admin.user.remove({ params })).rejects.toMatchObject(last);

    // A disabled master is no other master.
    const second = await own.person('master');
    await own.admin.user.update({ params: { id: second.id }, body: { disabled: true } });
    await expect(own.admin.user.remove({ params })).rejects.toMatchObject(last);
    await own.admin.user.update({ params, body: { username: 'chief' } });
  });

  it('remains when two masters delete each other at the same time', async () => {
    await using own = await startApi();
    for (let round = 0; round < atMost(2, 8); round += 1) {
      const first = await own.person('master');
      const second = await own.person('master');
      const { prisma } = own.server.deps.db.read;
      const keep = [first.id, second.id];
      await own.server.deps.db.write((tx) =>
        tx.prisma.user.updateMany({ where: { id: { notIn: keep } }, data: { role: 'viewer' } }),
      );
      const demote = { role: 'viewer' as const };
      const acts = [
        () => first.client.user.update({ params: { id: second.id }, body: demote }),
        () => second.client.user.update({ params: { id: first.id }, body: { disabled: true } }),
        () => first.client.user.remove({ params: { id: second.id } }),
        () => second.client.user.update({ params: { id: second.id }, body: demote }),
        () => first.client.user.update({ params: { id: first.id }, body: demote }),
      ];
      await Promise.allSettled(acts.map((act) => act()));
      expect(await prisma.user.count({ where: { role: 'master', disabled: false } })).toBe(1);
    }
  });
});

describe('the audit log', () => {
  it('records actor, action and user, before and after, and no password', async () => {
    const { id, username } = await api.admin.user.create({ body: draft() });
    const params = { id };
    await api.admin.user.update({ params, body: { role: 'operator', password: 'nine lanterns on the quay' } });
    await api.admin.user.remove({ params });
    const rows = await api.server.deps.db.read.prisma.audit.findMany({
      where: { targetKind: 'user', targetId: id },
      orderBy: { id: 'asc' },
    });
    expect(rows.map(({ action, actorName }) => [action, actorName])).toEqual([
      ['user.create', 'admin'],
      ['user.update', 'admin'],
      ['user.delete', 'admin'],
    ]);
    expect(rows.map(({ detail }) => JSON.parse(detail))).toEqual([
      { after: { username, role: 'viewer', disabled: false } },
      {
        before: { username, role: 'viewer', disabled: false },
        after: { username, role: 'operator', disabled: false, password: 'changed' },
        ended: 0,
      },
      { before: { username, role: 'operator', disabled: false } },
    ]);
  });
});
