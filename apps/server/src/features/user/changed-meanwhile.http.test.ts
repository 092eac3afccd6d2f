// A proof is worth nothing once it is out of date: the account changes while the password is being computed. The change
// is made in that very moment, by passwords that do it before they say what they found.
import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { PASSWORD, type TestApi, useApi } from '../../../test/start-api.ts';
import { hasSameCredentials, type UserRow } from './user.repo.ts';
import { userService } from './user.service.ts';

const NEW_PASSWORD = 'eleven tugboats at anchor';

const api = useApi();

type Person = Awaited<ReturnType<TestApi['person']>>;

const request = { id: '', address: '127.0.0.1', client: '' };

/** The service, in a server where an account changes while its password is computed. */
function overtakenBy(change: () => Promise<unknown>) {
  const { deps } = api.server;
  const { verify } = deps.passwords;
  return userService({
    ...deps,
    passwords: {
      ...deps.passwords,
      verify: async (...given) => {
        const fits = await verify(...given);
        await change();
        return fits;
      },
    },
  });
}

async function turnOn(client: Person['client']) {
  const { secret } = await client.user.beginSecondFactor({ body: { password: PASSWORD } });
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: api.now() });
  await client.user.confirmSecondFactor({ body: { otp: code() } });
  api.advance(60_000);
  return code;
}

const CHANGES: Readonly<Record<string, (person: Person) => Promise<unknown>>> = {
  'the password was changed': ({ client }) =>
    client.user.changePassword({ body: { current_password: PASSWORD, password: NEW_PASSWORD } }),
  'the second factor was turned on': ({ client }) => turnOn(client),
  'the account was disabled': ({ id }) => api.admin.user.update({ params: { id }, body: { disabled: true } }),
};

describe.each(nonEmpty(Object.entries(CHANGES)))('where %s while the password was hashed', (_, change) => {
  it('refuses the sign-in', async () => {
    const person = await api.person('viewer');
    const service = overtakenBy(() => change(person));
    const call = service.login({ body: { username: person.username, password: PASSWORD }, actor: null, request });
    await expect(call).rejects.toMatchObject({ code: 'login_failed' });
    expect(await api.server.deps.db.read.prisma.session.count({ where: { userId: person.id } })).toBeLessThanOrEqual(1);
  });

  it('refuses the confirmation', async () => {
    const person = await api.person('viewer');
    const { id } = (await person.client.user.me()).credential;
    const { prisma } = api.server.deps.db.read;
    const before = await prisma.session.findUnique({ where: { id } });
    const actor = {
      ...({ kind: 'user', userId: person.id, username: person.username, role: 'viewer', permissions: [] } as const),
      ...{ secondFactor: false, mustSetUpSecondFactor: false, scopes: null, errlogFilter: '' },
      credential: { kind: 'session', id, name: '', errlogFilter: '', expireMs: 0, confirmed: false } as const,
    };
    api.advance(1_000);
    const call = overtakenBy(() => change(person)).confirm({ body: { password: PASSWORD }, actor, request });
    await expect(call).rejects.toMatchObject({ code: 'login_failed' });
    const after = await prisma.session.findUnique({ where: { id } });
    expect(after?.confirmedMs ?? before?.confirmedMs).toBe(before?.confirmedMs);
  });
});

describe('where the password was changed while it was hashed', () => {
  it('keeps the second factor on', async () => {
    const person = await api.person('viewer');
    const code = await turnOn(person.client);
    const service = overtakenBy(() =>
      person.client.user.changePassword({ body: { current_password: PASSWORD, password: NEW_PASSWORD } }),
    );
    const actor = {
      kind: 'user' as const,
      userId: person.id,
      username: person.username,
      role: 'viewer',
      permissions: [],
      secondFactor: true,
      mustSetUpSecondFactor: false,
      scopes: null,
      errlogFilter: '',
      credential: { kind: 'session', id: 0, name: '', errlogFilter: '', expireMs: 0, confirmed: true } as const,
    };
    const call = service.removeSecondFactor({ body: { password: PASSWORD, otp: code() }, actor, request });
    await expect(call).rejects.toMatchObject({ code: 'conflict' });
    expect((await person.client.user.me()).second_factor).toBe(true);
  });
});

describe('credentials', () => {
  it('are the same with the same password and the same second factor', () => {
    const row = { passwordHash: 'a', totpSinceMs: 1n } as UserRow;
    expect(hasSameCredentials(row, { ...row, username: 'renamed' })).toBe(true);
    expect(hasSameCredentials(row, { ...row, passwordHash: 'b' })).toBe(false);
    expect(hasSameCredentials(row, { ...row, totpSinceMs: 2n })).toBe(false);
    expect(hasSameCredentials(row, { ...row, totpSinceMs: 0n })).toBe(false);
  });
});
