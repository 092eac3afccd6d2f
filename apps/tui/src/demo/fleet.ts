// A demo fleet: hosts, errors, tokens, users, and their history.
import type { AuditEntry, User } from '@quarterdeck/core';
import type { ApiToken, ErrlogEntry } from '@quarterdeck/sdk';
import { makeHistory, upgradedAgo } from './agent-story.ts';
import { makeAgents } from './agents.ts';
import { makeEnrollments, makeKernelRules, makeOperations, makeOutages } from './fleet-rows.ts';
import type { Fleet } from './fleet-state.ts';
import { pickForm, STORY_LINE } from './lines.ts';
import type { Random } from './random.ts';

const DAY_S = 86_400;

/** Sources of lines. */
export const SOURCES = [
  'edge-fra-1',
  'edge-fra-2',
  'edge-iad-1',
  'edge-iad-2',
  'edge-sin-1',
  'gateway-fra-1',
  'gateway-iad-1',
  'api-fra',
  'auth-iad',
];

/** Host of the story's error. */
const STORY_SOURCES = ['edge-fra-1', 'edge-fra-2', 'edge-iad-1', 'edge-iad-2', 'gateway-fra-1', 'auth-iad'] as const;

/** Creates a group of errors. */
export function makeEntry(random: Random, id: number, atS: number, count = 1): ErrlogEntry {
  const form = pickForm(random);
  const src = random.whole(1, SOURCES.length);
  return {
    id,
    level: form.level,
    count,
    src,
    log_time: atS,
    log: form.text(random),
    first_seen: atS - (count > 1 ? random.whole(600, 6 * DAY_S) : 0),
    state: 'new',
    app_id: random.whole(1, 6),
    node_type: 2,
    node_id: src,
    fingerprint: `demo-${form.text.length}-${form.level}`,
    source: SOURCES[src - 1] ?? '',
  };
}

const GROUPS = 640;

function errlog(random: Random, nowS: number): ErrlogEntry[] {
  return Array.from({ length: GROUPS }, (_, index) => {
    // Most errors are recent, and some come from a bad quarter of an hour.
    const back = random.chance(0.2) ? random.whole(9_000, 10_200) : Math.floor(random.next() ** 3 * 2 * DAY_S);
    const few = random.chance(0.55);
    const many = Math.ceil(random.next() ** 6 * 9_000);
    const drawn = makeEntry(random, index + 1, nowS - back - 2, few ? 1 : many);
    // The most severe levels are the rarest.
    const entry = drawn.level < 4 ? { ...drawn, count: Math.min(drawn.count, 12) } : drawn;
    const fate = random.next();
    const state =
      fate < 0.06 ? 'resolved' : fate < 0.1 ? 'muted' : fate < 0.35 ? 'ongoing' : fate < 0.37 ? 'regressed' : 'new';
    return {
      ...entry,
      state,
      state_since: entry.first_seen ?? entry.log_time,
      until: state === 'muted' ? random.pick(['7d', '100x/1h', 'forever']) : '',
    };
  });
}

const TOKENS = [
  { name: 'ci deploys', days: 41, used: 300, scopes: ['errlog:write'] },
  { name: 'grafana', days: 5, used: 12, scopes: ['errlog:read', 'agent:read'] },
  { name: 'enrolment of eu hosts', days: 190, used: 86_000, scopes: ['agent:enroll'] },
  { name: 'pager bridge', days: 0, used: 45, scopes: ['errlog:read'] },
  { name: 'old build farm', days: -12, used: 40 * DAY_S, scopes: null },
  { name: 'iad log shipper', days: 62, used: 3, scopes: ['errlog:write'] },
  { name: 'laptop of the night shift', days: 19, used: 7_200, scopes: null },
] as const;

function tokens(random: Random, nowS: number): ApiToken[] {
  return TOKENS.map(({ name, days, used, scopes }, index): ApiToken => {
    const expire = days === 0 ? 0 : (nowS + days * DAY_S) * 1000;
    return {
      id: index + 1,
      name,
      expire,
      _created_unix: nowS - random.whole(40, 300) * DAY_S,
      _modified_unix: nowS - random.whole(1, 40) * DAY_S,
      uid: index === 6 ? 2 : 1,
      username: index === 6 ? 'night-shift' : 'admin',
      token_tail: `${random.pick(['a', 'Q', 'z'])}${random.whole(100, 999)}`,
      state: days < 0 ? 'expired' : days > 0 && days < 7 ? 'expiring' : 'active',
      scopes: scopes === null ? null : [...scopes],
      allowed_cidrs: index === 5 ? ['10.21.0.0/16'] : [],
      last_used: nowS - used,
      last_address: `10.20.0.${index + 5}`,
      last_client: random.pick(['curl/8.9', 'grafana/11.2', 'quarterdeck-sdk']),
      grace_until: 0,
    };
  });
}

const PEOPLE = [
  ['admin', 'master', false, true],
  ['night-shift', 'operator', false, true],
  ['on-call', 'operator', false, false],
  ['wallboard', 'viewer', false, false],
  ['intern-2025', 'viewer', true, false],
] as const;

const DEEDS = [
  ['user.login', 'user', 1, {}],
  ['api_token.create', 'api_token', 6, { name: 'iad log shipper' }],
  ['user.login_failed', 'user', 3, { reason: 'wrong password' }],
  ['errlog.state', 'errlog', 17, { state: 'muted' }],
  ['api_token.rotate', 'api_token', 2, { grace: 86_400 }],
  ['user.update', 'user', 5, { disabled: true }],
  ['agent.register', 'agent', 12, { hostname: 'edge-sin-3' }],
  ['access.denied', 'user', 4, { needs: 'user:read' }],
] as const;

function audit(random: Random, nowS: number): AuditEntry[] {
  let at = nowS - 40;
  const hash = (): string =>
    Array.from({ length: 8 }, () => random.whole(0, 0xff_ff_ff_ff).toString(16).padStart(8, '0')).join('');
  let above = hash();
  return Array.from({ length: 120 }, (_, index): AuditEntry => {
    const [action, kind, id, detail] = random.pick(DEEDS);
    const [name] = random.pick(PEOPLE);
    at -= random.whole(20, 7_000);
    const own = above;
    above = hash();
    return {
      id: 120 - index,
      time: at,
      action,
      actor: {
        kind: 'user',
        id: PEOPLE.findIndex((person) => person[0] === name) + 1,
        name,
        credential: `session:${random.whole(3, 40)}`,
        address: `10.20.0.${random.whole(2, 40)}`,
      },
      target: { kind, id },
      request_id: `req-${random.whole(10_000, 99_999)}`,
      detail: { ...detail },
      previous: above,
      hash: own,
    };
  });
}

/**
 * The error of the story. It begins some minutes after the kernel upgrade of its host, and also on a source without
 * agent.
 */
function storyEntries(random: Random, nowS: number): ErrlogEntry[] {
  return STORY_SOURCES.map((source, index): ErrlogEntry => {
    const first_seen = nowS - (upgradedAgo(source) ?? 5_000) + random.whole(400, 1_100);
    return {
      id: GROUPS + index + 1,
      level: 3,
      count: random.whole(420, 2_600),
      src: SOURCES.indexOf(source) + 1,
      log_time: nowS - 4 - index * 7,
      log: STORY_LINE,
      first_seen,
      state: 'new',
      state_since: first_seen,
      until: '',
      app_id: 2,
      node_type: 2,
      node_id: SOURCES.indexOf(source) + 1,
      fingerprint: 'demo-sendfile',
      source,
    };
  });
}

/** Creates the fleet at a given time. */
export function makeFleet(random: Random, nowMs: number): Fleet {
  const nowS = Math.floor(nowMs / 1000);
  const agents = makeAgents(random, nowS);
  return {
    errlog: [...storyEntries(random, nowS), ...errlog(random, nowS)],
    agents,
    history: makeHistory(agents, random, nowS),
    operations: makeOperations(agents, nowS),
    enrollments: makeEnrollments(nowS),
    kernelRules: makeKernelRules(nowS),
    outages: makeOutages(agents, nowS),
    tokens: tokens(random, nowS),
    users: PEOPLE.map(
      ([username, role, disabled, factor], index): User => ({
        id: index + 1,
        username,
        role,
        disabled,
        second_factor: factor,
        _created_unix: nowS - (300 - index * 40) * DAY_S,
        _modified_unix: nowS - (20 - index) * DAY_S,
      }),
    ),
    sessions: [
      {
        id: 41,
        current: true,
        address: '10.20.0.9',
        client: 'quarterdeck-tui',
        created: nowS - 1_140,
        last_used: nowS - 3,
        expire: (nowS + 27_660) * 1000,
        idle_until: 0,
      },
      {
        id: 38,
        current: false,
        address: '10.20.0.31',
        client: 'Firefox 131 on Linux',
        created: nowS - 2 * DAY_S,
        last_used: nowS - 8_000,
        expire: (nowS + 29 * DAY_S) * 1000,
        idle_until: 0,
      },
    ],
    audit: audit(random, nowS),
    required: ['master'],
  };
}
