// A made-up fleet: hosts, errors, tokens, people, and what they did.
import type { AuditEntry, Session, User } from '@quarterdeck/core';
import type { Agent, ApiToken, ErrlogEntry } from '@quarterdeck/sdk';
import { pickForm } from './lines.ts';
import type { Random } from './random.ts';

const DAY_S = 86_400;

/** Everything the demo knows. */
export interface Fleet {
  errlog: ErrlogEntry[];
  agents: Agent[];
  tokens: ApiToken[];
  users: User[];
  sessions: Session[];
  audit: AuditEntry[];
  required: readonly string[];
}

const SITES = ['fra', 'iad', 'sin'] as const;
const KINDS = [
  { name: 'edge', count: 6, env: 'host', distro: 'Debian 12', kernel: '6.1.0-25-amd64' },
  { name: 'gateway', count: 4, env: 'host', distro: 'Debian 12', kernel: '6.1.0-25-amd64' },
  { name: 'api', count: 8, env: 'kubernetes', distro: 'Ubuntu 24.04 LTS', kernel: '6.8.0-45-generic' },
  { name: 'db', count: 2, env: 'vm', distro: 'Rocky Linux 9.4', kernel: '5.14.0-427.el9.x86_64' },
  { name: 'build', count: 2, env: 'container', distro: 'Alpine Linux 3.20', kernel: '6.6.31-0-lts' },
] as const;
const BUSY = ['installing package 20417', 'collecting kernel symbols', 'sampling http latency'];

/** The sources that lines come from. */
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

function agents(random: Random, nowS: number): Agent[] {
  const made: Agent[] = [];
  for (const [site, at] of SITES.map((name, index) => [name, index] as const)) {
    for (const { name, count, env, distro, kernel } of KINDS) {
      for (let n = 1; n <= count; n += 1) {
        const id = made.length + 1;
        const online = !random.chance(0.06);
        const version = random.chance(0.8) ? 20417 : random.pick([20416, 20411]);
        made.push({
          id,
          node_id: `${name}-${site}-${n}-${random.whole(100_000, 999_999)}`,
          hostname: `${name}-${site}-${n}`,
          ip: `10.${20 + at}.${KINDS.findIndex((kind) => kind.name === name) + 4}.${n + 10}`,
          env,
          online,
          is_deleted: false,
          bad_kernel: name === 'db' && random.chance(0.4),
          catch_transient_event: name === 'edge',
          autorun_tools: name !== 'db',
          note: name === 'db' ? 'ask the database team before restarting' : '',
          system_name: 'Linux',
          created: nowS - random.whole(30, 400) * DAY_S,
          modified: nowS - random.whole(60, 9_000),
          last_reported: online ? nowS - random.whole(1, 29) : nowS - random.whole(600, 90_000),
          progress:
            online && random.chance(0.08)
              ? { current: random.whole(5, 95), detail: random.pick(BUSY) }
              : { current: 0, detail: '' },
          package: { version, timestamp: nowS - (20_420 - version) * 9 * DAY_S },
          dependency: { stap_version: '5.1', odb_version: '2.3' },
          system_version: {
            kernel_package: `linux-image-${kernel}`,
            kernel_bid: `${random.whole(10 ** 11, 9 * 10 ** 11).toString(16)}`,
            kernel_distro: distro,
            libc: distro.startsWith('Alpine') ? 'musl 1.2.5' : 'glibc 2.36',
            kernel,
          },
          interval: 30,
        });
      }
    }
  }
  return made;
}

/** A new group of errors. */
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
    // Most of it is recent, and there was a bad quarter of an hour.
    const back = random.chance(0.2) ? random.whole(9_000, 10_200) : Math.floor(random.next() ** 3 * 2 * DAY_S);
    const few = random.chance(0.55);
    const many = Math.ceil(random.next() ** 6 * 9_000);
    const made = makeEntry(random, index + 1, nowS - back - 2, few ? 1 : many);
    // What is worst happens least.
    const entry = made.level < 4 ? { ...made, count: Math.min(made.count, 12) } : made;
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

/** Makes all of it, as of a moment. */
export function makeFleet(random: Random, nowMs: number): Fleet {
  const nowS = Math.floor(nowMs / 1000);
  return {
    errlog: errlog(random, nowS),
    agents: agents(random, nowS),
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
      },
      {
        id: 38,
        current: false,
        address: '10.20.0.31',
        client: 'Firefox 131 on Linux',
        created: nowS - 2 * DAY_S,
        last_used: nowS - 8_000,
        expire: (nowS + 29 * DAY_S) * 1000,
      },
    ],
    audit: audit(random, nowS),
    required: ['master'],
  };
}
