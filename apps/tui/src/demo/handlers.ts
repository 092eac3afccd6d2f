// Demo server: the rules of the real server, as far as the dashboard meets them.
import { CONFIRMED_FOR_MS, permissionsOf, ROLES } from '@quarterdeck/core';
import type { ApiToken } from '@quarterdeck/sdk';
import { withChange } from '../data/filter.ts';
import { agentHandlers, operationHandlers } from './agent-handlers.ts';
import { errlogHandlers } from './errlog-handlers.ts';
import { enrollmentHandlers, kernelRuleHandlers, outageHandlers } from './fleet-handlers.ts';
import type { Fleet } from './fleet-state.ts';
import { type DemoCall, type DemoHandlers, DemoRefusal } from './respond.ts';
import { byId, nextId, page, withoutRow, withRow } from './rows.ts';

const SESSION_MS = 7.68 * 3_600_000;

/** A fake secret. */
const demoSecret = (): string => `qd_t_${'DemoOnly'.repeat(6)}1`;

function tokenHandlers(fleet: Fleet, now: () => number): NonNullable<DemoHandlers['apiToken']> {
  const change = (call: DemoCall, over: Partial<ApiToken>): ApiToken => {
    const token = { ...byId(fleet.tokens, call), ...over, _modified_unix: now() / 1000 };
    fleet.tokens = withRow(fleet.tokens, token);
    return token;
  };
  return {
    list: ({ query }) => page(fleet.tokens, query),
    get: (call) => byId(fleet.tokens, call),
    create({ body }) {
      const token: ApiToken = {
        id: nextId(fleet.tokens),
        name: String(body['name'] ?? ''),
        expire: Number(body['expire'] ?? 0),
        _created_unix: now() / 1000,
        _modified_unix: now() / 1000,
        uid: 1,
        username: 'admin',
        token_tail: 'Only1'.slice(-4),
        state: 'active',
        scopes: (body['scopes'] as string[] | undefined) ?? null,
        allowed_cidrs: (body['allowed_cidrs'] as string[] | undefined) ?? [],
        last_used: null,
        grace_until: 0,
      };
      fleet.tokens = [token, ...fleet.tokens];
      return { ...token, token: demoSecret() };
    },
    update(call) {
      const { name, expire } = call.body as { name?: string; expire?: number };
      change(call, {
        ...(name === undefined ? {} : { name }),
        ...(expire === undefined ? {} : { expire, state: 'active' }),
      });
    },
    rotate: (call) => ({
      ...change(call, { grace_until: Number(call.body['grace'] ?? 0) * 1000 + now() }),
      token: demoSecret(),
    }),
    disable: (call) => void change(call, { state: 'disabled' }),
    enable: (call) => void change(call, { state: 'active' }),
    remove(call) {
      fleet.tokens = withoutRow(fleet.tokens, byId(fleet.tokens, call).id);
    },
  };
}

function userHandlers(fleet: Fleet, now: () => number): NonNullable<DemoHandlers['user']> {
  const change = (call: DemoCall, over: object): void => {
    fleet.users = withRow(fleet.users, { ...byId(fleet.users, call), ...over, _modified_unix: now() / 1000 });
  };
  const startMs = now();
  let hasFactor = true;
  return {
    me: () => ({
      id: 1,
      username: 'admin',
      role: 'master',
      permissions: ROLES.master,
      second_factor: hasFactor,
      must_set_up_second_factor: false,
      credential: { kind: 'session', id: 41, expire: startMs + SESSION_MS },
    }),
    logout: () => undefined,
    confirm: () => ({ until: now() + CONFIRMED_FOR_MS }),
    changePassword: () => undefined,
    beginSecondFactor: () => ({
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/Quarterdeck:admin?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Quarterdeck',
    }),
    confirmSecondFactor() {
      hasFactor = true;
      return { recovery_codes: Array.from({ length: 10 }, (_, index) => `demo-${index}${index}${index}${index}-only`) };
    },
    removeSecondFactor() {
      hasFactor = false;
    },
    sessions: ({ query }) => page(fleet.sessions, query),
    removeSession(call) {
      fleet.sessions = withoutRow(fleet.sessions, byId(fleet.sessions, call).id);
    },
    removeOtherSessions() {
      fleet.sessions = fleet.sessions.filter(({ current }) => current);
    },
    list: ({ query }) => page(fleet.users, query),
    get: (call) => byId(fleet.users, call),
    policy: () => ({ require_2fa: fleet.required }),
    updatePolicy({ body }) {
      fleet.required = body['require_2fa'] as string[];
    },
    create({ body }) {
      const username = String(body['username']);
      if (fleet.users.some((user) => user.username === username)) throw new DemoRefusal('username_taken');
      const role = String(body['role']);
      const user = {
        id: nextId(fleet.users),
        username,
        role,
        disabled: permissionsOf(role).length === 0,
        second_factor: false,
        _created_unix: now() / 1000,
        _modified_unix: now() / 1000,
      };
      fleet.users = [user, ...fleet.users];
      return user;
    },
    update(call) {
      change(call, withChange(call.body, { password: undefined }));
    },
    remove(call) {
      const user = byId(fleet.users, call);
      if (user.role === 'master') throw new DemoRefusal('last_master');
      fleet.users = withoutRow(fleet.users, user.id);
    },
    resetSecondFactor: (call) => change(call, { second_factor: false }),
    endSessions: (call) => void byId(fleet.users, call),
    unlock: (call) => void byId(fleet.users, call),
  };
}

/** Creates the handlers over a fleet, which they change. */
export function createHandlers(fleet: Fleet, now: () => number): DemoHandlers {
  return {
    errlog: errlogHandlers(fleet, now),
    agent: agentHandlers(fleet, now),
    agentOperation: operationHandlers(fleet, now),
    enrollment: enrollmentHandlers(fleet, now),
    kernelRule: kernelRuleHandlers(fleet, now),
    outage: outageHandlers(fleet),
    apiToken: tokenHandlers(fleet, now),
    user: userHandlers(fleet, now),
    audit: {
      list: ({ query }) => page(fleet.audit, query),
      verify: () => ({ intact: true, checked: fleet.audit.length, broken_at: null }),
    },
    system: { version: () => ({ version: 1_004_000, product_type: 'quarterdeck' }) },
  };
}
