// Stores what a round has found, with its messages, in one write: a crash neither loses nor repeats a message, and a
// channel gets one message about an error, however many rules find it.
import type { Alert, AlertMessage } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { EventBus } from '../event/event.bus.ts';
import { queueMessages } from '../webhook/queue-messages.ts';
import {
  type AlertRow,
  endAlert,
  endQuietly,
  fireAlert,
  groupsOf,
  growAlert,
  insertAlert,
  insertUntold,
  tellAlert,
  toAlerts,
  updateAlert,
} from './alert.repo.ts';
import { alertMessage } from './alert-message.ts';
import type { Evidence } from './evidence/evidence.ts';
import type { Cause } from './kinds/kind.ts';
import type { OpenAlert, Plan } from './plan.ts';
import { channelsOf, lockRule, type RoundState, type RuleRow, saveRound } from './rule.repo.ts';
import { shownTitle } from './shown-title.ts';
import { type ToldAlert, toldElsewhere } from './told-elsewhere.repo.ts';

/** Largest detail of a cause as JSON. */
const DETAIL_MAX = 16_384;

/** Changes of the alerts and of the state of a rule in a round. */
export interface Outcome extends RoundState {
  /** The rule as the round has read it. */
  readonly rule: RuleRow;
  readonly plan: Plan;
  /** Ends are not told: the rule was changed. */
  readonly quiet: boolean;
  /** Key of an alert -> what is known about it. */
  readonly evidence: ReadonlyMap<string, Evidence>;
}

/** Parts of a server that the write needs. */
export interface StoreNeeds {
  readonly events: EventBus;
  readonly publicUrl: string | undefined;
}

interface Told {
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
  outcomes: readonly Outcome[],
  { events, publicUrl }: StoreNeeds,
  nowMs: number,
): Promise<{ fired: number; resolved: number }> {
  const fired: Told[] = [];
  const resolved: Told[] = [];
  // In the order of ids, so that two servers do not wait for each other.
  for (const outcome of outcomes.toSorted((a, b) => a.rule.id - b.rule.id)) {
    const rule = await lockRule(tx, outcome.rule.id);
    // Another server, or a person, was faster: the next round looks again.
    if (rule?.position !== outcome.rule.position || rule.modifiedMs !== outcome.rule.modifiedMs) continue;
    const told = await storeOutcome(tx, rule, outcome, nowMs);
    fired.push(...told.fired);
    resolved.push(...told.resolved);
  }
  await oneForEachChannel(tx, fired, nowMs);
  const alerts = await toAlerts(
    tx,
    [...fired, ...resolved].map(({ row }) => row),
  );
  const published: { type: 'alert.firing' | 'alert.resolved'; data: AlertMessage }[] = [];
  for (const [at, told] of [...fired, ...resolved].entries()) {
    const type = at < fired.length ? 'alert.firing' : 'alert.resolved';
    const alert = alerts[at] as Alert;
    // An alert of a kind without an end is stored as resolved; its message says that it happens.
    const shown: Alert = type === 'alert.firing' ? { ...alert, state: 'firing', resolved: null } : alert;
    const { rule, evidence } = told;
    const messageFor = (also: readonly string[]) => alertMessage(shown, { rule, evidence, also, publicUrl });
    published.push({ type, data: messageFor([...new Set([...told.also.values()].flat())]) });
    for (const [names, channels] of byNames(told)) {
      const message = { type, timestampMs: nowMs, data: messageFor(names), alertId: alert.id };
      await queueMessages(tx, channels, [message], nowMs);
    }
  }
  await events.publish(tx, published);
  return { fired: fired.length, resolved: resolved.length };
}

/** Channels of an alert by the names of other rules that their message has. */
function byNames({ channels, also }: Told): [readonly string[], number[]][] {
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

async function storeOutcome(
  tx: Tx,
  rule: RuleRow,
  { plan, position, stoppedMs, quiet, evidence }: Outcome,
  nowMs: number,
): Promise<{ fired: Told[]; resolved: Told[] }> {
  const fired: Told[] = [];
  const resolved: Told[] = [];
  const told = (row: AlertRow): Told => ({
    rule,
    row,
    evidence: evidence.get(row.key),
    also: new Map(),
    channels: channelsOf(rule),
  });
  const causeOf = (key: string) => {
    const cause = evidence.get(key)?.cause;
    return cause ? JSON.stringify(cause) : '';
  };
  for (const { id, cause, parentId, tell } of plan.fired) {
    if (!tell) await fireAlert(tx, id, parentId);
    else fired.push(told(await tellAlert(tx, id, { ...shown(cause), parentId, cause: causeOf(cause.key) }, nowMs)));
  }
  const added = plan.added.map((alert) => ({ ...alert, ...shown(alert) }));
  for (const alert of added) {
    if (alert.tell) fired.push(told(await insertAlert(tx, rule.id, alert, causeOf(alert.key), nowMs)));
  }
  const untold = added.filter(({ tell }) => !tell);
  await insertUntold(tx, rule.id, untold, nowMs);
  for (const grown of plan.grown) await growAlert(tx, grown);
  const isTold = ({ messages }: OpenAlert) => messages > 0 && !quiet;
  for (const alert of plan.ended) if (isTold(alert)) resolved.push(told(await endAlert(tx, alert.id, nowMs)));
  const others = plan.ended.filter((alert) => !isTold(alert));
  await endQuietly(tx, others, nowMs);
  await saveRound(tx, rule.id, { position, stoppedMs }, fired.length > 0 ? nowMs : undefined);
  return { fired, resolved };
}

/**
 * Takes the channels from an alert that get a message about the same error by another rule: in this write, or lately
 * about an alert that lasts. An alert without channels left is grouped under that one.
 */
async function oneForEachChannel(tx: Tx, fired: readonly Told[], nowMs: number): Promise<void> {
  const about = fired.filter(({ row }) => groupsOf(row).length > 0);
  const earlier = await toldElsewhere(
    tx,
    about.map(({ row }) => row.key),
  );
  const first = new Map<string, Told>();
  for (const told of about) {
    const { rule, row } = told;
    const left: number[] = [];
    let other: number | undefined;
    const isSame = ({ ruleId, key, channel, toldMs }: ToldAlert, id: number) =>
      ruleId !== rule.id && key === row.key && channel === id && toldMs + rule.cooldownS * 1000 > nowMs;
    for (const channel of told.channels) {
      const before = earlier.find((one) => isSame(one, channel));
      const keys = groupsOf(row).map((group) => `${channel} ${group}`);
      const now = keys.map((key) => first.get(key)).find((one) => one !== undefined && one.rule.id !== rule.id);
      if (now !== undefined) now.also.set(channel, [...(now.also.get(channel) ?? []), rule.name]);
      if (before === undefined && now === undefined) {
        left.push(channel);
        for (const key of keys) if (!first.has(key)) first.set(key, told);
      } else other = before?.id ?? Number(now?.row.id);
    }
    const isCovered = told.channels.length > 0 && left.length === 0;
    told.channels = left;
    if (isCovered) told.row = await updateAlert(tx, Number(row.id), { messages: 0, parentId: other ?? 0 });
  }
}

/** The texts of a cause, bounded: some come from log lines. */
function shown({ title, detail }: Pick<Cause, 'title' | 'detail'>) {
  const json = JSON.stringify(detail);
  return { title: shownTitle(title), detail: json.length <= DETAIL_MAX ? detail : { cut: true } };
}
