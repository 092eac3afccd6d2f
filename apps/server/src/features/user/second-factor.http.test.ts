import { signIn } from '@quarterdeck/sdk';
import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { PASSWORD, startApi, useApi } from '../../../test/start-api.ts';
import { consumeRecoveryCode, consumeTotpStep } from './second-factor.repo.ts';

const STEP_MS = 30_000;
const MINUTE_MS = 60_000;
const RACES = atMost(20, 200);

const api = useApi();

/** The code a phone would show. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: api.now() + steps * STEP_MS });

/** Somebody whose second factor is on. Their first code is used up, so the clock goes on by two steps. */
async function personWith2fa() {
  const person = await api.person('viewer');
  const { secret } = await person.client.user.beginSecondFactor({ body: { password: PASSWORD } });
  const { recovery_codes: recoveryCodes } = await person.client.user.confirmSecondFactor({
    body: { otp: codeOf(secret) },
  });
  api.advance(2 * STEP_MS);
  return { ...person, secret, recoveryCodes };
}

const login = async (username: string, otp?: string, password = PASSWORD) => {
  const body = JSON.stringify({ username, password, ...(otp === undefined ? {} : { otp }) });
  const answer = await api.fetch('/admin-api/user/login', { method: 'POST', body });
  return { ...answer, code: answer.status === 200 ? 'ok' : (answer.body.err.code as string) };
};

/** Six digits that are no code at this time. */
function wrongCode(secret: string): string {
  const right = [-1, 0, 1].map((steps) => codeOf(secret, steps));
  return ['000000', '000001', '000002', '000003'].find((code) => !right.includes(code)) ?? '';
}

describe('setting up a second factor', () => {
  it('takes effect with its first code, and ends the other sessions', async () => {
    const person = await api.person('operator');
    const other = await signIn({ url: api.url, username: person.username, password: PASSWORD });
    const { secret, uri } = await person.client.user.beginSecondFactor({ body: { password: PASSWORD } });
    expect(uri).toContain('issuer=Quarterdeck');
    expect((await login(person.username)).code).toBe('ok');
    expect((await person.client.user.me()).second_factor).toBe(false);

    const { recovery_codes: codes } = await person.client.user.confirmSecondFactor({ body: { otp: codeOf(secret) } });
    expect(codes).toHaveLength(10);
    expect((await person.client.user.me()).second_factor).toBe(true);
    await expect(other.client.user.me()).rejects.toMatchObject({ code: 'credential_invalid' });
    expect((await login(person.username)).code).toBe('otp_required');
  });

  it('needs the password and a right code', async () => {
    const { client } = await api.person('viewer');
    await expect(client.user.confirmSecondFactor({ body: { otp: '123456' } })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(client.user.beginSecondFactor({ body: { password: 'wrong' } })).rejects.toMatchObject({
      code: 'login_failed',
    });
    const { secret } = await client.user.beginSecondFactor({ body: { password: PASSWORD } });
    await expect(client.user.confirmSecondFactor({ body: { otp: wrongCode(secret) } })).rejects.toMatchObject({
      code: 'login_failed',
    });
    await client.user.confirmSecondFactor({ body: { otp: codeOf(secret) } });
    await expect(client.user.beginSecondFactor({ body: { password: PASSWORD } })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('rejects a seed that was copied from another user', async () => {
    const [ann, bob] = [await personWith2fa(), await personWith2fa()];
    const { db } = api.server.deps;
    const from = await db.read.prisma.user.findUniqueOrThrow({ where: { id: ann.id } });
    await db.write((tx) => tx.prisma.user.update({ where: { id: bob.id }, data: { totpSeed: from.totpSeed } }));
    expect((await login(bob.username, codeOf(ann.secret))).status).toBe(500);
  });
});

describe('signing in with a second factor', () => {
  it('asks for a code only after the right password', async () => {
    const { username, secret } = await personWith2fa();
    expect((await login(username, undefined, 'wrong')).code).toBe('login_failed');
    expect((await login(username, codeOf(secret), 'wrong')).code).toBe('login_failed');
    for (let i = 0; i < 8; i += 1) expect((await login(username)).code).toBe('otp_required');
    const { status, body } = await login(username, codeOf(secret));
    expect(status).toBe(200);
    expect(body.data.login_2fa).toEqual({ enabled: true, method: 'totp' });
  });

  it('rejects a reused code, and codes of earlier steps', async () => {
    const { username, secret } = await personWith2fa();
    const [before, code] = [codeOf(secret, -1), codeOf(secret)];
    expect((await login(username, code)).code).toBe('ok');
    expect((await login(username, code)).code).toBe('login_failed');
    expect((await login(username, before)).code).toBe('login_failed');
    api.advance(STEP_MS);
    expect((await login(username, codeOf(secret))).code).toBe('ok');
  });

  it('accepts one of many parallel requests with the same code', async () => {
    const { id, username, secret } = await personWith2fa();
    const code = codeOf(secret);
    const answers = await Promise.all(Array.from({ length: 12 }, () => login(username, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);

    const { db } = api.server.deps;
    const step = Math.floor(api.now() / STEP_MS) + 10;
    const races = Array.from({ length: RACES }, () => db.write((tx) => consumeTotpStep(tx, id, step)));
    expect((await Promise.all(races)).filter(Boolean)).toHaveLength(1);
  });

  it('checks five codes in 15 minutes', async () => {
    const { username, secret } = await personWith2fa();
    for (let i = 0; i < 5; i += 1) expect((await login(username, wrongCode(secret))).code).toBe('login_failed');
    const { code, headers } = await login(username, codeOf(secret));
    expect(code).toBe('too_many_requests');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(14 * 60);
    api.advance(15 * MINUTE_MS);
    expect((await login(username, codeOf(secret))).code).toBe('ok');
  });
});

describe('a recovery code', () => {
  it('signs in once, in every notation', async () => {
    const { username, recoveryCodes } = await personWith2fa();
    const [first = '', second = ''] = recoveryCodes;
    expect((await login(username, first)).code).toBe('ok');
    expect((await login(username, first)).code).toBe('login_failed');
    expect((await login(username, second.toLowerCase().replaceAll('-', ' '))).code).toBe('ok');
  });

  it('is rejected for another user', async () => {
    const [ann, bob] = [await personWith2fa(), await personWith2fa()];
    expect((await login(ann.username, bob.recoveryCodes[0])).code).toBe('login_failed');
    expect((await login(bob.username, bob.recoveryCodes[0])).code).toBe('ok');
  });

  it('signs in one of many parallel requests', async () => {
    const { id, username, recoveryCodes } = await personWith2fa();
    const answers = await Promise.all(Array.from({ length: 12 }, () => login(username, recoveryCodes[0])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);

    const { db } = api.server.deps;
    const row = await db.read.prisma.recoveryCode.findFirstOrThrow({ where: { userId: id } });
    const races = Array.from({ length: RACES }, () => db.write((tx) => consumeRecoveryCode(tx, id, [row.codeHash])));
    expect((await Promise.all(races)).filter(Boolean)).toHaveLength(1);
  });
});

describe('turning a second factor off', () => {
  it('needs the password and a code, and ends the other sessions', async () => {
    const { client, username, secret, recoveryCodes } = await personWith2fa();
    const other = (await login(username, codeOf(secret))).body.data.token;
    api.advance(STEP_MS);
    const remove = (password: string, otp: string) => client.user.removeSecondFactor({ body: { password, otp } });
    await expect(remove('wrong', codeOf(secret))).rejects.toMatchObject({ code: 'login_failed' });
    await expect(remove(PASSWORD, wrongCode(secret))).rejects.toMatchObject({ code: 'login_failed' });
    await remove(PASSWORD, codeOf(secret));
    expect((await client.user.me()).second_factor).toBe(false);
    expect((await api.fetch('/admin-api/user/me', { headers: { 'edge-token': other } })).status).toBe(401);
    expect((await login(username)).code).toBe('ok');
    expect((await login(username, recoveryCodes[0])).body.data.login_2fa).toEqual({});
    await expect(remove(PASSWORD, '123456')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is possible for an administrator, and ends the sessions of the user', async () => {
    const { id, username, client } = await personWith2fa();
    await api.admin.user.confirm({ body: { password: PASSWORD } });
    await api.admin.user.resetSecondFactor({ params: { id } });
    await expect(client.user.me()).rejects.toMatchObject({ code: 'credential_invalid' });
    expect((await login(username)).code).toBe('ok');
    expect(await api.server.deps.db.read.prisma.recoveryCode.count({ where: { userId: id } })).toBe(0);
  });
});

describe('a password beside a second factor', () => {
  it('may be 8 characters long', async () => {
    const { client, username, secret } = await personWith2fa();
    await client.user.changePassword({ body: { current_password: PASSWORD, password: 'tug7boat' } });
    expect((await login(username, codeOf(secret), 'tug7boat')).code).toBe('ok');
  });
});

describe('a role that needs a second factor', () => {
  it('can do nothing else until it has one', async () => {
    await using own = await startApi();
    const operator = await own.person('operator');
    const viewer = await own.person('viewer');
    await own.admin.user.updatePolicy({ body: { require_2fa: ['operator', 'operator'] } });
    expect(await own.admin.user.policy()).toEqual({ require_2fa: ['operator'] });
    const row = await own.server.deps.db.read.prisma.setting.findUnique({ where: { name: 'require_2fa' } });
    expect(row?.value).toBe('operator');
    expect(await operator.client.user.me()).toMatchObject({ must_set_up_second_factor: true, permissions: [] });
    expect(await viewer.client.user.me()).toMatchObject({ must_set_up_second_factor: false });

    const { secret } = await operator.client.user.beginSecondFactor({ body: { password: PASSWORD } });
    const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: own.now() });
    await operator.client.user.confirmSecondFactor({ body: { otp } });
    expect(await operator.client.user.me()).toMatchObject({ must_set_up_second_factor: false });
    await operator.client.agent.list();

    await own.admin.user.updatePolicy({ body: { require_2fa: [] } });
    expect(await own.admin.user.policy()).toEqual({ require_2fa: [] });
  });
});
