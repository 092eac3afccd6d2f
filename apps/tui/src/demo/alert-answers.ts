// Demo: answers for alerts, their rules, channels and deliveries.
import { type AlertRule, alertKind, defaultUrl, parseMute, type Webhook } from '@quarterdeck/core';
import { build, type Fake, refusal } from '@quarterdeck/sdk/testing';
import { instanceOf } from './alert-evidence.ts';
import { makeDeliveries } from './alert-rows.ts';
import type { Fleet } from './fleet-state.ts';
import { add, byId, change, nextId, remove, withRow } from './rows.ts';

const FOREVER_S = 100 * 366 * 86_400;

/** End of a mute: a time, or a duration such as `1h` from now; 0 for none that is known. */
function endOf(until: string | number, nowS: number): number {
  if (typeof until === 'number') return until;
  const mute = parseMute(until);
  if (mute?.kind === 'forever') return nowS + FOREVER_S;
  return mute?.kind === 'time' ? nowS + mute.seconds : 0;
}

/** Answers for alerts: their list, one of them, and what people do with them. */
export function answerAlertInstances({ on }: Fake, fleet: Fleet, now: () => number): void {
  const nowS = (): number => now() / 1000;
  on('alert.instances', ({ query: { state, rule_id, kind } }) =>
    fleet.alerts.filter(
      (alert) =>
        (state === undefined || alert.state === state) &&
        (rule_id === undefined || alert.rule_id === rule_id) &&
        (kind === undefined || alert.kind === kind),
    ),
  );
  on('alert.instance', (call) => instanceOf(fleet, byId(fleet.alerts, call), nowS()));
  on('alert.acknowledge', (call) => {
    const { note } = call.body;
    const before = byId(fleet.alerts, call);
    if (before.acknowledged !== null && note === '') return before;
    return change(fleet, 'alerts', call, { acknowledged: { time: nowS(), by: 'admin', note } });
  });
  on('alert.assign', (call) => {
    const user = fleet.users.find(({ id }) => id === call.body.user);
    const name = user?.username ?? 'admin';
    const assigned = call.body.user === null ? null : { id: call.body.user, username: name };
    return change(fleet, 'alerts', call, { assigned });
  });
  on('alert.mute', (call) => {
    const until = endOf(call.body.until, nowS());
    const { groups } = byId(fleet.alerts, call);
    const state = call.body.until === 0 ? 'ongoing' : 'muted';
    fleet.errlog = fleet.errlog.map((entry) => (groups.includes(entry.id) ? { ...entry, state } : entry));
    return change(fleet, 'alerts', call, { muted_until: until > nowS() ? until : null });
  });
}

/** A fake secret. */
const SECRET = `whsec_${'DemoOnly'.repeat(4)}`;
const DAY_S = 86_400;

/** The condition with the defaults of its kind. */
const complete = (when: AlertRule['when']): AlertRule['when'] => {
  const { count, within, per } = alertKind(when.kind);
  return {
    ...(count === undefined ? {} : { count: count.default }),
    ...(within === undefined ? {} : { within: within.default }),
    ...(per?.[0] === undefined ? {} : { per: per[0] }),
    ...when,
  };
};

function answerRules({ on }: Fake, fleet: Fleet, now: () => number): void {
  const nowS = (): number => now() / 1000;
  on('alert.list', () => fleet.alertRules);
  on('alert.channels', () => fleet.webhooks.map(({ id, name, kind, enabled }) => ({ id, name, kind, enabled })));
  on('alert.get', (call) => byId(fleet.alertRules, call));
  on('alert.create', ({ body }) => {
    const given = { ...body, when: complete(body.when), id: nextId(fleet.alertRules), created_by: 'admin' };
    return add(fleet, 'alertRules', build.alertRule({ ...given, created: nowS(), modified: nowS() }));
  });
  on('alert.update', (call) => {
    const { when, ...fields } = call.body;
    const condition = when === undefined ? {} : { when: complete(when) };
    return change(fleet, 'alertRules', call, { ...fields, ...condition, modified: nowS() });
  });
  on('alert.remove', (call) => {
    const { id } = remove(fleet, 'alertRules', call);
    fleet.alerts = fleet.alerts.filter(({ rule_id }) => rule_id !== id);
  });
  on('alert.test', (call) => ({ channels: [...byId(fleet.alertRules, call).channels], deliveries: [] }));
  on('alert.explain', (call) => {
    const { id, enabled } = byId(fleet.alertRules, call);
    const alerts = fleet.alerts.filter(({ rule_id, state }) => rule_id === id && state === 'firing');
    const [first] = alerts;
    const no = enabled ? 'Nothing met the condition of the rule.' : 'The rule is disabled.';
    const none = { value: null, limit: null };
    return {
      at: nowS(),
      fired: first !== undefined,
      verdict: first === undefined ? `It did not fire: ${no}` : `It fired: ${first.title}`,
      conditions: [
        { name: 'enabled', ...none, met: enabled, text: enabled ? 'The rule is enabled.' : 'The rule is disabled.' },
        { name: 'author', ...none, met: true, text: 'Its author has the permissions that it needs.' },
        { name: 'causes', value: alerts.length, limit: 0, met: first !== undefined, text: first?.title ?? no },
      ],
      alerts,
      complete: true,
      why_incomplete: null,
    };
  });
  on('alert.preview', ({ body: { when } }) => {
    const examples = fleet.alerts
      .filter(({ kind, since }) => kind === when.kind && since > nowS() - DAY_S)
      .map(({ since, key, title }) => ({ time: since, key, title }));
    const causes = new Set(examples.map(({ key }) => key)).size;
    return {
      from: nowS() - DAY_S,
      to: nowS(),
      fired: examples.length,
      causes,
      examples,
      complete: true,
      why_incomplete: null,
    };
  });
}

function answerWebhooks({ on }: Fake, fleet: Fleet, now: () => number): void {
  const nowS = (): number => now() / 1000;
  const secretOf = ({ kind }: Webhook): string | null => (kind === 'standard' ? SECRET : null);
  const deliveriesOf = (channel: Webhook) => {
    const known = fleet.deliveries.get(channel.id);
    if (known !== undefined) return known;
    const made = makeDeliveries(channel, fleet.alerts, nowS());
    fleet.deliveries.set(channel.id, made);
    return made;
  };
  on('webhook.list', () => fleet.webhooks);
  on('webhook.get', (call) => byId(fleet.webhooks, call));
  on('webhook.create', ({ body: { url, to = [], token, chat = null, key, user, callback_secret, ...body } }) => {
    const given = Object.entries({ token, key, user, callback_secret }).filter(([, value]) => value !== undefined);
    const webhook = build.webhook({
      ...body,
      url: url ?? defaultUrl(body.kind) ?? null,
      to,
      chat,
      secrets: given.map(([name]) => name as Webhook['secrets'][number]),
      id: nextId(fleet.webhooks),
      created: nowS(),
      created_by: 'admin',
      modified: nowS(),
    });
    add(fleet, 'webhooks', webhook);
    fleet.deliveries.set(webhook.id, []);
    return { ...webhook, secret: secretOf(webhook) };
  });
  on('webhook.update', (call) => change(fleet, 'webhooks', call, { ...call.body, modified: nowS() }));
  on('webhook.remove', (call) => void remove(fleet, 'webhooks', call));
  on('webhook.rotate', (call) => {
    const webhook = byId(fleet.webhooks, call);
    return { ...webhook, secret: secretOf(webhook) };
  });
  on('webhook.deliveries', (call) => deliveriesOf(byId(fleet.webhooks, call)));
  on('webhook.test', (call) => {
    const webhook = byId(fleet.webhooks, call);
    const before = deliveriesOf(webhook);
    const id = nextId(before);
    const type = 'alert.test';
    const delivery = build.webhookDelivery({
      id,
      message_id: `msg_demo${id}`,
      type,
      state: 'waiting',
      attempts: 0,
      created: nowS(),
      next_attempt: nowS(),
      body: { type, timestamp: new Date(now()).toISOString(), data: { channel: webhook.name } },
    });
    fleet.deliveries.set(webhook.id, [delivery, ...before]);
    return delivery;
  });
  on('webhook.redeliver', ({ params }) => {
    for (const [channel, deliveries] of fleet.deliveries) {
      const found = deliveries.find(({ id }) => id === params.id);
      if (found === undefined) continue;
      const again = { ...found, state: 'waiting' as const, next_attempt: nowS() };
      fleet.deliveries.set(channel, withRow(deliveries, again));
      return again;
    }
    throw refusal('not_found');
  });
}

/** Answers for the rules of alerts, channels and deliveries. */
export function answerAlerts(fake: Fake, fleet: Fleet, now: () => number): void {
  answerRules(fake, fleet, now);
  answerWebhooks(fake, fleet, now);
}
