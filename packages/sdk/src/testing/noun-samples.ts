// Meaningful values for the nouns of Quarterdeck. The sampler adds what a noun needs beyond them.
import { NOUNS, type NounName, PERMISSIONS } from '@quarterdeck/core';
import type * as z from 'zod';

/** Makes the values of a noun from its id, which counts up from 1. */
export type NounSample = (id: number) => object;

const SECRET = `${'FakeOnly'.repeat(6)}1`;

type Samples = { readonly [N in NounName]?: (id: number) => Partial<z.output<(typeof NOUNS)[N]>> };

/** Samples of nouns by their schemas. Nothing is older than the given time, so that equal calls give equal values. */
export function nounSamples(nowMs: number): ReadonlyMap<z.ZodType, NounSample> {
  const nowS = Math.floor(nowMs / 1000);
  const dated = { _created_unix: nowS, _modified_unix: nowS };
  const apiToken = (id: number) => ({
    id,
    name: `token-${id}`,
    ...dated,
    uid: 1,
    username: 'admin',
    token_tail: SECRET.slice(-4),
    state: 'active' as const,
    scopes: null,
    allowed_cidrs: [],
    last_used: null,
    grace_until: 0,
  });
  const enrollment = (id: number) => ({
    id,
    name: `enrollment-${id}`,
    token_tail: SECRET.slice(-4),
    created: nowS,
    created_by: 'admin',
  });
  const user = (id: number) => ({ id, username: `user-${id}`, role: 'operator', ...dated });
  const line = { log: 'upstream timed out (110: Connection timed out)', level: 4, count: 1 };
  const alert = (id: number) => ({
    id,
    rule_id: 1,
    rule: 'too many errors',
    kind: 'errlog.count' as const,
    key: 'group:1',
    groups: [1],
    state: 'firing' as const,
    title: `120 in 5m: ${line.log}`,
    messages: 1,
    since: nowS,
    fired: nowS,
  });
  const alertMessage = (id: number) => ({
    ...alert(id),
    what: {
      level: line.level,
      service: 'nginx',
      source: 'host-1',
      text: 'upstream timed out (110: Connection timed out)',
    },
    counts: { count: 120, from: nowS, per_minute: 24, usual: 0.5 },
    hosts: { failing: 1, of: 40, names: ['host-1'] },
  });
  const samples: Samples = {
    Agent: (id) => ({
      id,
      node_id: `node-${id}`,
      hostname: `host-${id}`,
      ip: `192.0.2.${((id - 1) % 254) + 1}`,
      env: 'host',
      online: true,
      system_name: 'Debian 12',
      created: nowS,
      modified: nowS,
      last_reported: nowS,
      interval: 30,
      state: 'online',
      reason: 'reporting',
      state_since: nowS,
      maintenance: false,
      labels: {},
    }),
    AgentEnrolled: (id) => ({ id, secret: `qd_a_${SECRET}`, interval: 30 }),
    AgentEvent: (id) => ({ id, time: nowS }),
    AgentOperationReport: (id) => ({ id }),
    Alert: alert,
    AlertCause: () => ({
      sentence: 'The only failing host changed the file /etc/nginx/up.conf 4 min before; none of 39 others did',
      strength: 'strong',
    }),
    AlertInstance: alertMessage,
    AlertMessage: alertMessage,
    ApiToken: apiToken,
    ApiTokenChange: (id) => ({ name: `token-${id}` }),
    AuditEntry: (id) => ({
      id,
      time: nowS,
      action: 'user.login',
      actor: { kind: 'user', id: 1, name: 'admin', credential: 'session:1', address: '192.0.2.1' },
      target: { kind: 'user', id: 1 },
      request_id: `request-${id}`,
    }),
    AuditVerdict: () => ({ intact: true }),
    Change: (id) => ({ id, time: nowS, kind: 'deploy', name: 'shop', created: nowS, created_by: 'admin' }),
    ChangeReceipt: (id) => ({ id }),
    Enrollment: enrollment,
    ErrlogEntry: (id) => ({
      ...line,
      id,
      src: 1,
      log_time: nowS,
      first_seen: nowS,
      state: 'new',
      state_since: nowS,
      until: '',
      source: 'host-1',
    }),
    ErrlogLine: () => ({ level: line.level, log: line.log }),
    ErrlogOccurrence: () => ({ time: nowS, count: 1, log: line.log }),
    ErrlogSource: (id) => ({ id, name: `host-${id}`, address: '192.0.2.1', created: nowS }),
    HeartbeatResponse: () => ({ interval: 30 }),
    HostCertificate: (id) => ({
      place: `/etc/ssl/host-${id}.pem`,
      subject: `host-${id}.example.org`,
      issuer: 'Example CA',
      fingerprint: id.toString(16).padStart(16, '0'),
      expire: nowS + 14 * 86_400,
    }),
    KernelRule: (id) => ({ id, pattern: '6.1.*', reason: 'It stalls.', created: nowS, created_by: 'admin' }),
    Line: (id) => ({ ...line, id: String(id), time: nowS, group: 1, src: 1, source: 'host-1', host: 'host-1' }),
    LoginResult: () => ({
      _created_unix: '2026-01-31 09:05:07.000000',
      _modified_unix: '2026-01-31 09:05:07.000000',
      username: 'admin',
      'edge-token': `qd_s_${SECRET}`,
      token: `qd_s_${SECRET}`,
      expire: nowMs + 8 * 3_600_000,
      id: 1,
      role: 'master',
    }),
    Me: () => ({ id: 1, username: 'admin', role: 'master', permissions: [...PERMISSIONS] }),
    NewApiToken: (id) => ({ ...apiToken(id), token: `qd_t_${SECRET}` }),
    NewEnrollment: (id) => ({ ...enrollment(id), token: `qd_e_${SECRET}` }),
    Operation: (id) => ({ id, agent_id: 1, hostname: 'host-1', created: nowS, modified: nowS, created_by: 'admin' }),
    Outage: (id) => ({ id, started: nowS, lost: 12 }),
    ServerVersion: () => ({ version: 1_000_000, product_type: 'quarterdeck' }),
    Session: (id) => ({ id, address: '192.0.2.1', client: 'Firefox', created: nowS, last_used: nowS, expire: nowMs }),
    TokenExpiring: (id) => ({ id, name: `token-${id}`, uid: 1, expire: nowMs + 86_400_000, days: 1 }),
    User: user,
    UserDraft: (id) => ({ username: `user-${id}` }),
  };
  return new Map(Object.entries(samples).map(([name, make]) => [NOUNS[name as NounName], make as NounSample] as const));
}
