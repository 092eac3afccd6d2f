// Guessing passwords. The service is called with addresses of its callers' choice, which HTTP from one machine cannot
// show; everything below it is the real thing.
import { randomUUID } from 'node:crypto';
import { type Client, signIn } from '@quarterdeck/sdk';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { PASSWORD, useApi } from '../../../test/start-api.ts';
import type { Passwords } from '../../auth/passwords.ts';
import { removeOldAttempts } from '../../auth/throttle.repo.ts';
import type { Deps } from '../../compose/services.ts';
import { userService } from './user.service.ts';

const MINUTE_MS = 60_000;
const NEW_PASSWORD = 'eleven tugboats at anchor';
const HOUR_MS = 60 * MINUTE_MS;
const PARALLEL = atMost(8, 60);

const api = useApi();
let service: ReturnType<typeof userService>;
let evaluated = 0;
beforeAll(() => {
  service = userService(counting());
});

/** Dependencies of the server, with passwords that count how often they are checked. */
function counting(): Deps {
  const { deps } = api.server;
  const verify: Passwords['verify'] = async (...given) => {
    evaluated += 1;
    return deps.passwords.verify(...given);
  };
  return { ...deps, passwords: { ...deps.passwords, verify } };
}

/** The same service as often as there are servers: they share the database and nothing else. */
const manyServers = (count: number, waitMaxMs?: number) =>
  Array.from({ length: count }, () => userService(counting(), waitMaxMs));

/** Signs in from an address; the outcome as its code, and seconds to wait. */
async function attempt(
  username: string,
  password: string,
  address: string,
  otp?: string,
  server = service,
): Promise<{ code: string; waitS?: number }> {
  const request = { id: randomUUID(), address, client: 'test' };
  try {
    await server.login({ body: { username, password, otp }, actor: null, request });
    return { code: 'ok' };
  } catch (error) {
    const { code, retryAfterS } = error as { code: string; retryAfterS?: number };
    return retryAfterS === undefined ? { code } : { code, waitS: retryAfterS };
  }
}

/** An address that nobody has used. */
let addresses = 0;
const newAddress = () => {
  addresses += 1;
  return `198.51.${Math.floor(addresses / 250)}.${addresses % 250}`;
};

const newUser = async () => (await api.person('viewer')).username;

describe('guessing the password of one account', () => {
  it.each(['known', 'unknown'])(
    'is checked five times from any number of addresses, then blocked: %s user',
    async (kind) => {
      const username = kind === 'known' ? await newUser() : `nobody-${randomUUID()}`;
      evaluated = 0;
      const seen: string[] = [];
      for (let i = 0; i < 7; i += 1) seen.push((await attempt(username, 'a wrong guess at it', newAddress())).code);
      expect(evaluated).toBe(5);
      expect(seen).toEqual([...Array(5).fill('login_failed'), 'too_many_requests', 'too_many_requests']);
    },
  );

  it('gets no more checks by parallel requests at four servers', async () => {
    const username = await newUser();
    const servers = manyServers(4);
    evaluated = 0;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => attempt(username, 'wrong', newAddress(), undefined, servers[i % 4])),
    );
    expect(evaluated).toBe(5);
    expect(answers.filter(({ code }) => code === 'login_failed')).toHaveLength(5);
    expect(answers.filter(({ code }) => code === 'too_many_requests')).toHaveLength(15);
  });

  it(`accepts ${PARALLEL} parallel sign-ins with the right password at four servers`, async () => {
    const username = await newUser();
    // A busy machine may take longer than anybody would wait.
    const servers = manyServers(4, MINUTE_MS);
    const home = newAddress();
    for (const address of [() => home, newAddress]) {
      const answers = await Promise.all(
        Array.from({ length: PARALLEL }, (_, i) => attempt(username, PASSWORD, address(), undefined, servers[i % 4])),
      );
      expect(answers.filter(({ code }) => code !== 'ok')).toEqual([]);
    }
    // They have left nothing behind that a guess would be counted on top of.
    evaluated = 0;
    const stranger = newAddress();
    for (let i = 0; i < 6; i += 1) await attempt(username, 'wrong', stranger);
    expect(evaluated).toBe(5);
  });

  it('counts wrong passwords among parallel right ones', async () => {
    const username = await newUser();
    const servers = manyServers(4);
    const home = newAddress();
    await attempt(username, PASSWORD, home);
    const mixed = Array.from({ length: PARALLEL }, (_, i) => (i % 2 === 0 ? 'wrong' : PASSWORD));
    await Promise.all(mixed.map((password, i) => attempt(username, password, newAddress(), undefined, servers[i % 4])));
    // However they came in: no more than five of the wrong ones were looked at.
    const wrong = await api.server.deps.db.read.prisma.audit.count({
      where: { action: 'user.login_failed', detail: { contains: username } },
    });
    expect(wrong).toBeLessThanOrEqual(5);
    expect((await attempt(username, PASSWORD, home)).code).toBe('ok');
  });

  it('counts an attempt that was lost with its server', async () => {
    const username = await newUser();
    const { deps } = api.server;
    const dead = userService({ ...deps, passwords: { ...deps.passwords, verify: () => new Promise(() => {}) } });
    for (let i = 0; i < 5; i += 1) void attempt(username, 'wrong', newAddress(), undefined, dead);
    const { prisma } = deps.db.read;
    const counted = () => prisma.throttle.count({ where: { failures: 5, openAttempts: 5 } });
    await expect.poll(counted).toBe(1);
    api.advance(10_001);
    expect((await attempt(username, 'wrong', newAddress())).code).toBe('too_many_requests');
  });

  it('does not block the owner at a known network', async () => {
    const username = await newUser();
    const home = newAddress();
    expect((await attempt(username, PASSWORD, home)).code).toBe('ok');
    for (let i = 0; i < 8; i += 1) await attempt(username, 'wrong', newAddress());
    expect((await attempt(username, PASSWORD, newAddress())).code).toBe('too_many_requests');
    for (let i = 0; i < 10; i += 1) expect((await attempt(username, PASSWORD, home)).code).toBe('ok');
    // The owner's sign-ins have given the strangers nothing back.
    expect((await attempt(username, 'wrong', newAddress())).code).toBe('too_many_requests');
  });

  it('gets no attempts back when the owner signs in from a new network', async () => {
    const username = await newUser();
    for (let i = 0; i < 4; i += 1) await attempt(username, 'wrong', newAddress());
    expect((await attempt(username, PASSWORD, newAddress())).code).toBe('ok');
    expect((await attempt(username, 'wrong', newAddress())).code).toBe('login_failed');
    expect((await attempt(username, 'wrong', newAddress())).code).toBe('too_many_requests');
  });

  it('is limited at a known network too, until the next sign-in', async () => {
    const username = await newUser();
    const home = newAddress();
    await attempt(username, PASSWORD, home);
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < 4; i += 1) expect((await attempt(username, 'wrong', home)).code).toBe('login_failed');
      expect((await attempt(username, PASSWORD, home)).code).toBe('ok');
    }
    for (let i = 0; i < 5; i += 1) await attempt(username, 'wrong', home);
    expect((await attempt(username, PASSWORD, home)).code).toBe('too_many_requests');
  });

  it('treats a network as unknown after 30 days', async () => {
    const username = await newUser();
    const home = newAddress();
    await attempt(username, PASSWORD, home);
    api.advance(31 * 24 * HOUR_MS);
    for (let i = 0; i < 5; i += 1) await attempt(username, 'wrong', newAddress());
    expect((await attempt(username, PASSWORD, home)).code).toBe('too_many_requests');
  });

  it('counts no attempt that the server was too busy to check', async () => {
    const username = await newUser();
    const { deps } = api.server;
    const busy = userService({
      ...deps,
      passwords: { ...deps.passwords, verify: () => Promise.reject(new Error('busy')) },
    });
    const request = { id: '', address: newAddress(), client: '' };
    for (let i = 0; i < 10; i += 1) {
      const call = busy.login({ body: { username, password: 'wrong' }, actor: null, request });
      await expect(call).rejects.toThrow('busy');
    }
    expect((await attempt(username, PASSWORD, request.address)).code).toBe('ok');
  });

  it('treats networks as unknown after a change of the password', async () => {
    const home = newAddress();
    const changes = {
      'by the owner': async ({ client, password }: { client: Client; id: number; password: string }) =>
        client.user.changePassword({ body: { current_password: PASSWORD, password } }),
      'by a master': async ({ id, password }: { client: Client; id: number; password: string }) =>
        (await api.person('master')).client.user.update({ params: { id }, body: { password } }),
    };
    for (const [how, change] of Object.entries(changes)) {
      const { client, id, username } = await api.person('viewer');
      expect((await attempt(username, PASSWORD, home)).code, how).toBe('ok');
      await change({ client, id, password: NEW_PASSWORD });
      for (let i = 0; i < 5; i += 1) await attempt(username, 'wrong', newAddress());
      expect((await attempt(username, NEW_PASSWORD, home)).code, how).toBe('too_many_requests');
    }
  });

  it('is unblocked by an administrator', async () => {
    const person = await api.person('viewer');
    for (let i = 0; i < 5; i += 1) await attempt(person.username, 'wrong', newAddress());
    for (let i = 0; i < 5; i += 1) await attempt(person.username, 'wrong', '127.0.0.1');
    // The administrator's session has expired by the clock of these tests.
    const master = await api.person('master');
    await master.client.user.unlock({ params: { id: person.id } });
    expect((await attempt(person.username, PASSWORD, newAddress())).code).toBe('ok');
    expect((await attempt(person.username, PASSWORD, '127.0.0.1')).code).toBe('ok');
  });
});

describe('guessing the code of one account', () => {
  it('does not block the owner, even where the guesser knows the password', async () => {
    const person = await api.person('viewer');
    const { secret } = await person.client.user.beginSecondFactor({ body: { password: PASSWORD } });
    const codeNow = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: api.now() });
    await person.client.user.confirmSecondFactor({ body: { otp: codeNow() } });
    api.advance(MINUTE_MS);
    const thief = newAddress();
    const seen: string[] = [];
    for (let i = 0; i < 6; i += 1) seen.push((await attempt(person.username, PASSWORD, thief, 'A'.repeat(24))).code);
    expect(seen).toEqual([...Array(5).fill('login_failed'), 'too_many_requests']);
    // They signed in from here before; and no code that was looked at has used up the budget of the password.
    expect((await attempt(person.username, PASSWORD, '127.0.0.1', codeNow())).code).toBe('ok');
    expect((await attempt(person.username, PASSWORD, thief)).code).toBe('otp_required');
    const master = await api.person('master');
    await master.client.user.unlock({ params: { id: person.id } });
    api.advance(MINUTE_MS);
    expect((await attempt(person.username, PASSWORD, newAddress(), codeNow())).code).toBe('ok');
  });
});

describe('guessing the code of a second factor that a master has reset', () => {
  it('does not block the user who sets up another one', async () => {
    const person = await api.person('viewer');
    const setUp = async (client: Client) => {
      const { secret } = await client.user.beginSecondFactor({ body: { password: PASSWORD } });
      const codeNow = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: api.now() });
      await client.user.confirmSecondFactor({ body: { otp: codeNow() } });
      api.advance(MINUTE_MS);
      return codeNow;
    };
    await setUp(person.client);
    const strange = newAddress();
    for (const address of ['127.0.0.1', strange]) {
      const codes: string[] = [];
      for (let i = 0; i < 6; i += 1)
        codes.push((await attempt(person.username, PASSWORD, address, 'A'.repeat(24))).code);
      expect(codes.at(-1)).toBe('too_many_requests');
    }
    const master = await api.person('master');
    await master.client.user.resetSecondFactor({ params: { id: person.id } });
    const again = await signIn({ url: api.url, username: person.username, password: PASSWORD });
    const codeNow = await setUp(again.client);
    expect((await attempt(person.username, PASSWORD, '127.0.0.1', codeNow())).code).toBe('ok');
    api.advance(MINUTE_MS);
    expect((await attempt(person.username, PASSWORD, newAddress(), codeNow())).code).toBe('ok');
  });
});

describe('guessing from one network', () => {
  it('gets no attempts back when somebody signs in from the network', async () => {
    const [first, second] = [await newUser(), await newUser()];
    const network = newAddress();
    const guess = () => attempt(`nobody-${randomUUID()}`, 'wrong', network);
    for (let i = 0; i < 19; i += 1) expect((await guess()).code).toBe('login_failed');
    for (const username of [first, second]) expect((await attempt(username, PASSWORD, network)).code).toBe('ok');
    expect((await guess()).code).toBe('login_failed');
    expect((await guess()).code).toBe('too_many_requests');
  });

  it('is checked at most 20 times in 15 minutes for all usernames together', async () => {
    const username = await newUser();
    for (let i = 0; i < 20; i += 1) {
      const { code } = await attempt(`nobody-${i}-${randomUUID()}`, 'wrong', `2001:db8:0:7::${i.toString(16)}`);
      expect(code).toBe('login_failed');
    }
    expect((await attempt(username, PASSWORD, '2001:db8:0:7:ffff::1')).code).toBe('too_many_requests');
    expect((await attempt(username, PASSWORD, '2001:db8:0:8::1')).code).toBe('ok');
    api.advance(15 * MINUTE_MS);
    expect((await attempt(username, PASSWORD, '2001:db8:0:7:ffff::1')).code).toBe('ok');
  });
});

describe('counted attempts', () => {
  it('hold no username and no password, and are deleted after a day', async () => {
    await attempt('My-Password-In-The-Name-Field', 'my other secret words', newAddress());
    const { db } = api.server.deps;
    const show = async () => JSON.stringify(await db.read.prisma.throttle.findMany(), (_, v) => `${v}`);
    const audit = JSON.stringify(await db.read.prisma.audit.findMany(), (_, v) => (typeof v === 'bigint' ? `${v}` : v));
    expect(`${await show()}${audit}`).not.toMatch(/my-password|my other/i);
    api.advance(25 * HOUR_MS);
    const slice = () => db.write((tx) => removeOldAttempts(tx, api.now() - 24 * HOUR_MS, 50));
    while ((await slice()) > 0);
    expect(await db.read.prisma.throttle.count()).toBe(0);
  });
});

describe('a blocked sign-in over HTTP', () => {
  it('returns 429 with Retry-After and a message with the time, after which it is possible again', async () => {
    const username = `nobody-${randomUUID()}`;
    const send = () =>
      api.fetch('/admin-api/user/login', { method: 'POST', body: JSON.stringify({ username, password: 'wrong' }) });
    for (let i = 0; i < 5; i += 1) expect((await send()).status).toBe(401);
    const { status, headers, body } = await send();
    expect(status).toBe(429);
    expect(body.err.code).toBe('too_many_requests');
    const waitS = Number(headers.get('retry-after'));
    expect(waitS).toBeGreaterThan(50);
    expect(waitS).toBeLessThanOrEqual(60);
    expect(body.msg).toBe(`Too many failed attempts; try again in ${waitS} s.`);
    api.advance(waitS * 1000);
    expect((await send()).status).toBe(401);
  });
});
