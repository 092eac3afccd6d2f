// One object of every noun, each with a text that stands nowhere else: to see who reads it.
import { ALERT_KIND_NAMES, AlertCause, type AlertKind, EVENT_TYPES, EVENTS, type EventType } from '@quarterdeck/core';
import { exampleOf } from './endpoints.ts';
import type { TestApi } from './start-api.ts';
import { word } from './word.ts';

/** Nouns whose texts differ. `audit` stands for texts that only the audit log has, `token` for those of other users. */
export const NOUNS = [
  'errlog',
  'agent',
  'change',
  'token',
  'user',
  'alert',
  'webhook',
  'enrollment',
  'audit',
  'health',
] as const;
export type Noun = (typeof NOUNS)[number];

/** Kind of a rule -> noun that its alerts are about, written by hand. */
const KIND_NOUNS: Readonly<Record<AlertKind, Noun>> = {
  'errlog.new': 'errlog',
  'errlog.regressed': 'errlog',
  'errlog.count': 'errlog',
  'errlog.spike': 'errlog',
  silence: 'errlog',
  'agent.offline': 'agent',
  'agent.back': 'agent',
  'agent.outage': 'agent',
  'operation.failed': 'agent',
  'certificate.expiring': 'agent',
  'host.resource': 'agent',
  'change.worse': 'errlog',
  'token.expiring': 'token',
  'token.reused': 'token',
  'signin.failed': 'audit',
  'audit.broken': 'audit',
  'server.health': 'health',
};

/** Part of an event's type before the dot -> noun. Events with ids alone have no text. */
const EVENT_NOUNS: Readonly<Record<string, Noun>> = {
  errlog: 'errlog',
  line: 'errlog',
  agent: 'agent',
  change: 'change',
  token: 'token',
};
const ID_EVENTS: readonly EventType[] = [
  'token.revoked',
  'user.revoked',
  'agent.removed',
  'line',
  'line.missed',
  'resync',
];

/** Stored objects: noun of the contract -> id; and the text of each noun. */
export interface MarkedWorld {
  readonly ids: Readonly<Record<string, number | string>>;
  readonly marks: Readonly<Record<Noun, string>>;
}

/** Evidence of an alert without any text. */
const EVIDENCE = {
  what: null,
  counts: null,
  hosts: null,
  vitals: [],
  lines: [],
  incomplete: [],
  also: [],
  links: { alert: null, error: null, change: null, runbook: null, issue: null },
} as const;

/** Stores an object of every noun. */
export async function plantWorld(api: TestApi): Promise<MarkedWorld> {
  const { admin, server } = api;
  const { db, events } = server.deps;
  const salt = word()
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
  const marks = Object.fromEntries(NOUNS.map((noun) => [noun, `zz${noun}${salt}zz`])) as Record<Noun, string>;

  const sender = await api.agent();
  const kernel = (text: string) => ({
    system_version: { kernel: text, kernel_package: '', kernel_bid: '', kernel_distro: '', libc: '' },
  });
  const report = (text: string) => sender.client.agent.heartbeat({ params: sender, body: kernel(text) });
  await report('before');
  await report(marks.agent);
  const change = await admin.change.create({
    body: { kind: 'deploy', name: marks.change, hosts: [sender.nodeId], author: marks.change },
  });
  const lines = [1, 2].map((n) => ({
    level: 'error',
    log: `${marks.errlog} failed`,
    service: marks.errlog,
    req_id: marks.errlog,
    fields: { text: `${marks.errlog}${n}` },
  }));
  await sender.client.errlog.append({ body: lines });
  const [group] = (await admin.errlog.list({ query: { q: marks.errlog } })).data;
  const [line] = (await admin.line.list({ query: { q: marks.errlog } })).data;

  const params = { id: sender.id };
  await admin.agent.update({ params, body: { note: marks.agent, labels: { site: marks.agent } } });
  const operation = await admin.agentOperation.create({ body: { agent_id: sender.id, kind: 'collect_facts' } });
  const user = await admin.user.create({
    body: { username: marks.user, password: 'eleven tugboats at anchor', role: 'master' },
  });
  const owner = await api.person('master');
  const token = await owner.client.apiToken.create({ body: { name: marks.token } });
  const enrollment = await admin.enrollment.create({
    body: { name: marks.enrollment, labels: { x: marks.enrollment } },
  });
  const webhook = await admin.webhook.create({
    body: { name: marks.webhook, url: `https://example.com/${marks.webhook}` },
  });
  const rules = await Promise.all(
    ALERT_KIND_NAMES.map((kind) =>
      admin.alert.create({ body: { name: `${marks.alert} ${kind}`, when: { kind }, channels: [webhook.id] } }),
    ),
  );
  const alertOf = (kind: AlertKind, ruleId: number) => {
    const text = marks[KIND_NOUNS[kind]];
    const times = { since: 1, fired: 1, resolved: null };
    const row = { id: 1, rule_id: ruleId, rule: marks.alert, kind, key: text, state: 'firing', title: text };
    const people = { acknowledged: null, assigned: null, muted_until: null };
    const isError = KIND_NOUNS[kind] === 'errlog';
    return {
      ...row,
      ...people,
      ...EVIDENCE,
      detail: { text },
      groups: isError ? [group?.id ?? 0] : [],
      // The change before an error is data of agents.
      cause: isError ? { ...(exampleOf(AlertCause) as AlertCause), sentence: marks.agent, why: null } : null,
      parent_id: null,
      under: 0,
      messages: 1,
      ...times,
    };
  };
  const alerts = rules.map(({ id, when }) => alertOf(when.kind, id));
  const stored = EVENT_TYPES.flatMap((type): { type: EventType; data: object }[] => {
    if (type.startsWith('alert.')) return alerts.map((data) => ({ type, data }));
    const noun = EVENT_NOUNS[type.split('.')[0] ?? ''];
    if (ID_EVENTS.includes(type) || noun === undefined) return [];
    const example = JSON.stringify(exampleOf(EVENTS[type]));
    return [{ type, data: JSON.parse(example, (_, value) => (value === 'x' ? marks[noun] : value)) }];
  });
  await db.write(async (tx) => {
    for (const { rule_id: ruleId, title, key, ...alert } of alerts) {
      const detail = JSON.stringify({ text: title });
      const groups = JSON.stringify(alert.groups);
      const cause = alert.cause === null ? '' : JSON.stringify(alert.cause);
      await tx.prisma.alert.create({
        data: { ruleId, key, title, detail, groups, cause, state: 'firing', sinceMs: 1n, messages: 1 },
      });
    }
    const times = { createdMs: 1n, nextMs: 1n, expiresMs: 2n, state: 'dead', status: 400 };
    for (const { type, data } of stored) {
      const text = JSON.stringify(data);
      const delivery = { webhookId: webhook.id, messageId: word(), type, error: `The receiver answers 400: ${text}` };
      const body = JSON.stringify({ type, timestamp: '', data });
      await tx.prisma.webhookDelivery.create({ data: { ...delivery, ...times, body } });
    }
    await events.publish(tx, stored);
    await server.deps.audit.record(tx, { action: 'test.marked', actor: 'system', detail: { text: marks.audit } });
  });
  const [delivery] = (await admin.webhook.deliveries({ params: { id: webhook.id } })).data;
  const { id: session } = await db.read.prisma.session.findFirstOrThrow({ where: { userId: owner.id } });
  const ids = {
    ...{ errlog: group?.id ?? 0, line: line?.id ?? 0, agent: sender.id, change: change.id, user: user.id, session },
    ...{ apiToken: token.id, alert: rules[0]?.id ?? 0, webhook: webhook.id, delivery: delivery?.id ?? 0 },
    ...{ enrollment: enrollment.id, agentOperation: operation.id },
  };
  return { ids, marks };
}
