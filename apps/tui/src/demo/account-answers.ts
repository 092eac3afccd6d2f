// Demo: API tokens, users, the account of the caller, and the audit log.
import { CONFIRMED_FOR_MS, permissionsOf, ROLES } from '@quarterdeck/core';
import type { ApiToken } from '@quarterdeck/sdk';
import { createBuilders, type Fake, refusal } from '@quarterdeck/sdk/testing';
import { withChange } from '@quarterdeck/views/filters';
import type { Fleet } from './fleet-state.ts';
import { add, type ById, byId, change, nextId, remove } from './rows.ts';

const SESSION_MS = 7.68 * 3_600_000;

/** A fake secret. */
const SECRET = `qd_t_${'DemoOnly'.repeat(6)}1`;

/** An endpoint of each permission that tokens of the demo use. */
const ENDPOINT_OF: Readonly<Record<string, string>> = {
  'errlog:read': 'GET /admin-api/log_server/errlog',
  'errlog:write': 'POST /admin-api/log_server/errlog',
  'agent:enroll': 'POST /api/agents/register',
};

/** Permissions that a token of the demo has used. */
const usedBy = ({ scopes, unused = [] }: ApiToken): string[] =>
  (scopes ?? ['errlog:read']).filter((name) => !unused.includes(name));

function answerTokens({ on }: Fake, fleet: Fleet, now: () => number): void {
  const changeToken = (call: ById, over: Partial<ApiToken>): ApiToken =>
    change(fleet, 'tokens', call, { ...over, _modified_unix: now() / 1000 });
  on('apiToken.list', () => fleet.tokens);
  on('apiToken.get', (call) => byId(fleet.tokens, call));
  on('apiToken.create', ({ body }) => {
    const { name, expire, scopes = null, allowed_cidrs: addresses } = body;
    const token = createBuilders({ now: now() }).apiToken({
      id: nextId(fleet.tokens),
      name: name ?? '',
      expire: expire ?? 0,
      scopes,
      allowed_cidrs: addresses ?? [],
    });
    return { ...add(fleet, 'tokens', token), uid: 1, token: SECRET };
  });
  on('apiToken.update', (call) => {
    const { name, expire } = call.body;
    changeToken(call, {
      ...(name === undefined ? {} : { name }),
      ...(expire === undefined ? {} : { expire, state: 'active' }),
    });
  });
  on('apiToken.rotate', (call) => {
    const token = changeToken(call, { grace_until: (call.body.grace ?? 0) * 1000 + now() });
    return { ...token, uid: token.uid ?? 1, token: SECRET };
  });
  on('apiToken.use', (call) => {
    const { last_used: used, last_address: address = '' } = byId(fleet.tokens, call);
    const nowS = now() / 1000;
    const names = usedBy(byId(fleet.tokens, call));
    const uses = (all: readonly string[]) =>
      used == null ? [] : all.map((name, at) => ({ name, count: 48_211 >> at, last_used: used - 60 * at }));
    return {
      since: nowS - 38 * 86_400,
      permissions: uses(names),
      endpoints: uses(names.map((name) => ENDPOINT_OF[name] ?? 'GET /admin-api/user/me')),
      last: { time: used ?? null, address },
    };
  });
  on('apiToken.narrow', (call) => {
    const token = byId(fleet.tokens, call);
    const has: readonly string[] = token.scopes ?? permissionsOf('master');
    const scopes = has.filter((name) => usedBy(token).includes(name));
    if (!call.body.dry_run) changeToken(call, { scopes, unused: [] });
    return { scopes, removed: has.filter((name) => !scopes.includes(name)) };
  });
  on('apiToken.disable', (call) => void changeToken(call, { state: 'disabled' }));
  on('apiToken.enable', (call) => void changeToken(call, { state: 'active' }));
  on('apiToken.remove', (call) => void remove(fleet, 'tokens', call));
}

function answerUsers({ on }: Fake, fleet: Fleet, now: () => number): void {
  const changeUser = (call: ById, over: object): void =>
    void change(fleet, 'users', call, { ...over, _modified_unix: now() / 1000 });
  on('user.list', () => fleet.users);
  on('user.get', (call) => byId(fleet.users, call));
  on('user.policy', () => ({ require_2fa: [...fleet.required] }));
  on('user.updatePolicy', ({ body }) => {
    fleet.required = body.require_2fa;
  });
  on('user.create', ({ body: { username, role } }) => {
    if (fleet.users.some((user) => user.username === username)) throw refusal('username_taken');
    const disabled = permissionsOf(role).length === 0;
    const user = createBuilders({ now: now() }).user({ id: nextId(fleet.users), username, role, disabled });
    return add(fleet, 'users', user);
  });
  on('user.update', (call) => changeUser(call, withChange(call.body, { password: undefined })));
  on('user.remove', (call) => {
    if (byId(fleet.users, call).role === 'master') throw refusal('last_master');
    remove(fleet, 'users', call);
  });
  on('user.resetSecondFactor', (call) => changeUser(call, { second_factor: false }));
  on('user.endSessions', (call) => void byId(fleet.users, call));
  on('user.unlock', (call) => void byId(fleet.users, call));
}

/** Answers for API tokens, users, the account of the caller, and the audit log. */
export function answerAccount(fake: Fake, fleet: Fleet, now: () => number): void {
  const { on } = fake;
  const startMs = now();
  let hasFactor = true;
  answerTokens(fake, fleet, now);
  answerUsers(fake, fleet, now);
  on('user.me', () => ({
    id: 1,
    username: 'admin',
    role: 'master',
    permissions: [...ROLES.master],
    second_factor: hasFactor,
    must_set_up_second_factor: false,
    credential: { kind: 'session', id: 41, expire: startMs + SESSION_MS },
  }));
  on('user.confirm', () => ({ until: now() + CONFIRMED_FOR_MS }));
  on('user.beginSecondFactor', {
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: [
      'otpauth://totp/Quarterdeck:admin?issuer=Quarterdeck',
      'secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
    ].join('&'),
  });
  on('user.confirmSecondFactor', () => {
    hasFactor = true;
    return { recovery_codes: Array.from({ length: 10 }, (_, index) => `demo-${index}${index}${index}${index}-only`) };
  });
  on('user.removeSecondFactor', () => {
    hasFactor = false;
  });
  on('user.sessions', () => fleet.sessions);
  on('user.removeSession', (call) => void remove(fleet, 'sessions', call));
  on('user.removeOtherSessions', () => {
    fleet.sessions = fleet.sessions.filter(({ current }) => current);
  });
  on('audit.list', () => fleet.audit);
  on('audit.verify', () => ({ intact: true, checked: fleet.audit.length, broken_at: null }));
  on('system.version', { version: 1_004_000, product_type: 'quarterdeck' });
}
