// A demo fleet: hosts, errors, tokens, users, and their history.
import type { AuditEntry, User } from '@quarterdeck/core';
import type { ApiToken, ErrlogEntry } from '@quarterdeck/sdk';
import { makeHistory } from './agent-story.ts';
import { makeAgents } from './agents.ts';
import { makeAlertRules, makeAlerts, makeWebhooks } from './alert-rows.ts';
import { makeEnrollments, makeKernelRules, makeOperations, makeOutages } from './fleet-rows.ts';
import type { Fleet } from './fleet-state.ts';
import { makeLines } from './line-rows.ts';
import { pickError } from './lines.ts';
import type { Random } from './random.ts';
import { makeChanges } from './reported-changes.ts';
import { SOURCES, sourceId } from './sources.ts';
import { storyEntries } from './stories.ts';

const DAY_S = 86_400;

const APPS = ['nginx', 'checkout', 'postgresql', 'auth'];

/** Creates a group of an error on a host that writes such lines. */
export function makeEntry(random: Random, id: number, atS: number, count = 1): ErrlogEntry {
  const { form, variant, fingerprint } = pickError(random);
  const host = random.pick(SOURCES.filter((name) => form.hosts.some((start) => name.startsWith(start))));
  const src = sourceId(host);
  return {
    id,
    level: form.level,
    count,
    src,
    log_time: atS,
    log: form.text(random, variant),
    first_seen: atS - (count > 1 ? random.whole(600, 6 * DAY_S) : 0),
    state: 'new',
    app_id: APPS.indexOf(form.service) + 1,
    node_type: 2,
    node_id: src,
    fingerprint,
    source: host,
    host,
    service: form.service,
  };
}

/** Most occurrences by level: the most severe lines are the rarest, and notices are seldom. */
const COUNT_MAX: Readonly<Record<number, number>> = { 1: 12, 2: 12, 3: 12, 6: 40 };

/** Groups that are drawn; those of the same error and source are one. */
const DRAWN = 900;

/** The key of a group: an error on a source. */
export const groupKey = ({ fingerprint, src }: Pick<ErrlogEntry, 'fingerprint' | 'src'>): string =>
  `${fingerprint} ${src}`;

function errlog(random: Random, nowS: number): ErrlogEntry[] {
  const drawn = Array.from({ length: DRAWN }, (_, index) => {
    // Most errors are recent, and some come from a bad quarter of an hour.
    const back = random.chance(0.2) ? random.whole(9_000, 10_200) : Math.floor(random.next() ** 3 * 2 * DAY_S);
    const few = random.chance(0.45);
    const many = Math.ceil(random.next() ** 6 * 4_000);
    const drawn = makeEntry(random, index, nowS - back - 8, few ? 1 : many);
    const entry = { ...drawn, count: Math.min(drawn.count, COUNT_MAX[drawn.level] ?? drawn.count) };
    const fate = random.next();
    const state =
      fate < 0.06 ? 'resolved' : fate < 0.1 ? 'muted' : fate < 0.35 ? 'ongoing' : fate < 0.37 ? 'regressed' : 'new';
    return {
      ...entry,
      state,
      state_since: entry.first_seen ?? entry.log_time,
      until: state === 'muted' ? random.pick(['7d', '100x/1h', 'forever']) : '',
    } as const;
  });
  return [...new Map(drawn.map((entry) => [groupKey(entry), entry])).values()];
}

/** Moves equal errors apart in time: neighbours exchange their times until no two of the newest rows are equal. */
function apart(entries: readonly ErrlogEntry[], newest: number): ErrlogEntry[] {
  const rows = entries.toSorted((a, b) => b.log_time - a.log_time);
  for (let at = 1; at < newest; at += 1) {
    const before = rows[at - 1];
    const other = rows.findIndex((row, index) => index >= at && row.fingerprint !== before?.fingerprint);
    const [row, next] = [rows[at], rows[other]];
    if (row === undefined || next === undefined || other === at) continue;
    rows[at] = { ...next, log_time: row.log_time };
    rows[other] = { ...row, log_time: next.log_time };
  }
  return rows;
}

/** Rows of the first screen. */
const FIRST_ROWS = 40;

function allErrors(random: Random, nowS: number): ErrlogEntry[] {
  const stories = storyEntries(random, nowS).map((entry) => ({ ...entry, id: 0 }));
  const rows = apart([...stories, ...errlog(random, nowS)], FIRST_ROWS);
  return rows.map((entry, index) => ({ ...entry, id: rows.length - index }));
}

const TOKENS = [
  { name: 'ci deploys', days: 41, used: 300, scopes: ['errlog:write'] },
  { name: 'grafana', days: 5, used: 12, scopes: ['errlog:read', 'agent:read'] },
  { name: 'enrollment of eu hosts', days: 190, used: 86_000, scopes: ['agent:enroll'] },
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
      ...(index === 1 && { unused: ['agent:read'] }),
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

/** Creates the fleet at a given time. */
export function makeFleet(random: Random, nowMs: number): Fleet {
  const nowS = Math.floor(nowMs / 1000);
  const agents = makeAgents(random, nowS);
  const entries = allErrors(random, nowS);
  const outages = makeOutages(agents, nowS);
  return {
    errlog: entries,
    lines: makeLines(entries),
    changes: makeChanges(agents, nowS),
    agents,
    history: makeHistory(agents, random, nowS),
    operations: makeOperations(agents, nowS),
    enrollments: makeEnrollments(nowS),
    kernelRules: makeKernelRules(nowS),
    outages,
    alerts: makeAlerts({ errlog: entries, outages, agents }, nowS),
    alertRules: makeAlertRules(nowS),
    webhooks: makeWebhooks(nowS),
    deliveries: new Map(),
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
