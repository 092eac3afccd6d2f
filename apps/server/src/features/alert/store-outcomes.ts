// Stores what a round has found, with its messages, in one write: a crash neither loses nor repeats a message, and a
// channel gets one message about an error, however many rules find it.
import type { Alert, AlertMessage } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { EventBus } from '../event/event.bus.ts';
import { type AddressedMessage, queueAddressed } from '../webhook/queue-messages.ts';
import {
  type AlertRow,
  coverAlerts,
  endAlerts,
  endQuietly,
  fireAlert,
  groupsOf,
  growAlert,
  insertAlerts,
  markNotified,
  toAlerts,
} from './alert.repo.ts';
import { alertMessage, shownTitle } from './alert-message.ts';
import type { Evidence } from './evidence/evidence.ts';
import type { Cause } from './kinds/kind.ts';
import { type NotifiedAlert, notifiedElsewhere } from './notified-elsewhere.repo.ts';
import type { Plan } from './plan.ts';
import { channelsOf, lockRules, moveRules, type RoundState, type RuleRow, saveNotified } from './rule.repo.ts';

/** Largest detail of a cause as JSON. */
const DETAIL_MAX = 16_384;

/** Changes of the alerts and of the state of a rule in a round. */
export interface Outcome extends RoundState {
  /** The rule as the round has read it. */
  readonly rule: RuleRow;
  readonly plan: Plan;
  /** Ends are not notified: the rule was changed. */
  readonly quiet: boolean;
  /** Sources that the author of the rule may see; empty is all. */
  readonly within: string;
  /** Key of an alert -> what is known about it. */
  readonly evidence: ReadonlyMap<string, Evidence>;
}

/** Parts of a server that the write needs. */
export interface StoreNeeds {
  readonly events: EventBus;
  readonly publicUrl: string | undefined;
}

interface Notified {
  readonly rule: RuleRow;
  row: AlertRow;
  readonly evidence: Evidence | undefined;
  /** Other rules that found the same in this round, by channel. */
  readonly also: Map<number, string[]>;
  channels: readonly number[];
}

/** Stores outcomes; returns how many alerts fired and ended with a message. */
export async function storeOutcomes(
  tx: Tx,
  given: readonly Outcome[],
  { events, publicUrl }: StoreNeeds,
  nowMs: number,
): Promise<{ fired: number; resolved: number }> {
  const rules = await lockRules(
    tx,
    given.map(({ rule }) => rule.id),
  );
  // Another server, or a person, was faster with the others: the next round looks again.
  const outcomes = given.filter(({ rule: { id, position, modifiedMs } }) => {
    const rule = rules.get(id);
    return rule?.position === position && rule.modifiedMs === modifiedMs;
  });
  const ruleOf = (id: number) => rules.get(id) as RuleRow;
  const evidenceOf = new Map(outcomes.map(({ rule, evidence }) => [rule.id, evidence]));
  const notified = (row: AlertRow): Notified => {
    const rule = ruleOf(row.ruleId);
    const evidence = evidenceOf.get(rule.id)?.get(row.key);
    return { rule, row, evidence, also: new Map(), channels: channelsOf(rule) };
  };
  const fired = (await storeFired(tx, outcomes, nowMs)).map(notified);
  for (const { plan, within } of outcomes) for (const grown of plan.grown) await growAlert(tx, grown, within);
  const ended = outcomes.flatMap(({ plan, quiet }) =>
    plan.ended.map((alert) => ({ alert, isNotified: alert.messages > 0 && !quiet })),
  );
  const endsOf = (isNotified: boolean) =>
    ended.filter((one) => one.isNotified === isNotified).map(({ alert }) => alert);
  const endings = endsOf(true).map(({ id, ending }) => ({ id, ending: ending && shown(ending) }));
  const resolved = (await endAlerts(tx, endings, nowMs)).map(notified);
  await endQuietly(tx, endsOf(false), nowMs);
  await moveRules(tx, outcomes);
  await saveNotified(tx, [...new Set(fired.map(({ rule }) => rule.id))], nowMs);
  await oneForEachChannel(tx, fired, nowMs);
  const all = [...fired, ...resolved];
  const alerts = await toAlerts(
    tx,
    all.map(({ row }) => row),
  );
  const published: { type: 'alert.firing' | 'alert.resolved'; data: AlertMessage }[] = [];
  const messages: AddressedMessage[] = [];
  for (const [at, one] of all.entries()) {
    const type = at < fired.length ? 'alert.firing' : 'alert.resolved';
    const alert = alerts[at] as Alert;
    // An alert of a kind without an end is stored as resolved; its message says that it happens.
    const shown: Alert = type === 'alert.firing' ? { ...alert, state: 'firing', resolved: null } : alert;
    const { rule, evidence } = one;
    const messageFor = (also: readonly string[]) => alertMessage(shown, { rule, evidence, also, publicUrl });
    published.push({ type, data: messageFor([...new Set([...one.also.values()].flat())]) });
    for (const [names, channels] of byNames(one)) {
      messages.push({ type, timestampMs: nowMs, data: messageFor(names), alertId: alert.id, channels });
    }
  }
  await queueAddressed(tx, messages, nowMs);
  await events.publish(tx, published);
  return { fired: fired.length, resolved: resolved.length };
}

/** Stores the alerts that fire, with and without a message; returns those with one. */
async function storeFired(tx: Tx, outcomes: readonly Outcome[], nowMs: number): Promise<AlertRow[]> {
  const rows: AlertRow[] = [];
  const causeOf = ({ evidence }: Outcome, key: string) => {
    const cause = evidence.get(key)?.cause;
    return cause ? JSON.stringify(cause) : '';
  };
  for (const outcome of outcomes) {
    for (const { id, cause, parentId, notify } of outcome.plan.fired) {
      const texts = { ...shown(cause), parentId, cause: causeOf(outcome, cause.key), within: outcome.within };
      if (notify) rows.push(await markNotified(tx, id, texts, nowMs));
      else await fireAlert(tx, id, parentId);
    }
  }
  const added = outcomes.flatMap((outcome) =>
    outcome.plan.added.map((alert) => ({
      rule: outcome.rule,
      alert: { ...alert, ...shown(alert) },
      cause: causeOf(outcome, alert.key),
      within: outcome.within,
    })),
  );
  const inserted = await insertAlerts(tx, added, nowMs);
  return [...rows, ...inserted.filter(({ messages }) => messages > 0)];
}

/** Channels of an alert by the names of other rules that their message has. */
function byNames({ channels, also }: Notified): [readonly string[], number[]][] {
  const groups = new Map<string, [readonly string[], number[]]>();
  for (const channel of channels) {
    const names = also.get(channel) ?? [];
    const key = JSON.stringify(names);
    const group = groups.get(key) ?? [names, []];
    groups.set(key, group);
    group[1].push(channel);
  }
  return [...groups.values()];
}

/**
 * Takes the channels from an alert that get a message about the same error by another rule: in this write, or lately
 * about an alert that lasts. An alert without channels left is grouped under that one.
 */
async function oneForEachChannel(tx: Tx, fired: readonly Notified[], nowMs: number): Promise<void> {
  const about = fired.filter(({ row }) => groupsOf(row).length > 0);
  const earlier = await notifiedElsewhere(
    tx,
    about.map(({ row }) => row.key),
  );
  const first = new Map<string, Notified>();
  const covered: { id: number; parentId: number }[] = [];
  for (const notified of about) {
    const { rule, row } = notified;
    const left: number[] = [];
    let other: number | undefined;
    const isSame = ({ ruleId, key, channel, notifiedMs }: NotifiedAlert, id: number) =>
      ruleId !== rule.id && key === row.key && channel === id && notifiedMs + rule.cooldownS * 1000 > nowMs;
    for (const channel of notified.channels) {
      const before = earlier.find((one) => isSame(one, channel));
      const keys = groupsOf(row).map((group) => `${channel} ${group}`);
      const now = keys.map((key) => first.get(key)).find((one) => one !== undefined && one.rule.id !== rule.id);
      if (now !== undefined) now.also.set(channel, [...(now.also.get(channel) ?? []), rule.name]);
      if (before === undefined && now === undefined) {
        left.push(channel);
        for (const key of keys) if (!first.has(key)) first.set(key, notified);
      } else other = before?.id ?? Number(now?.row.id);
    }
    const isCovered = notified.channels.length > 0 && left.length === 0;
    notified.channels = left;
    if (isCovered) {
      notified.row = { ...row, messages: 0, parentId: BigInt(other ?? 0) };
      covered.push({ id: Number(row.id), parentId: other ?? 0 });
    }
  }
  await coverAlerts(tx, covered);
}

/** The texts of a cause, bounded: some come from log lines. */
function shown({ title, detail }: Pick<Cause, 'title' | 'detail'>) {
  const json = JSON.stringify(detail);
  return { title: shownTitle(title), detail: json.length <= DETAIL_MAX ? detail : { cut: true } };
}
