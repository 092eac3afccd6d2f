// Reads and writes of rules.
import {
  type AlertChannel,
  type AlertCondition,
  type AlertKind,
  type AlertRule,
  type AlertRuleDraft,
  alertKind,
  type Page,
  type Slice,
  type WebhookKind,
} from '@quarterdeck/core';
import { type Prisma, type PrismaTypes, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import type { WatchingRule } from './kinds/kind.ts';

const WITH_CHANNELS = { channels: { select: { webhookId: true }, orderBy: { webhookId: 'asc' } } } as const;

/** A rule with the ids of its channels. */
export type RuleRow = PrismaTypes.AlertRuleGetPayload<{ include: typeof WITH_CHANNELS }>;

/** A condition with the defaults of its kind. */
export function fullCondition({ kind, ...when }: AlertCondition): AlertCondition {
  const { count, within, per } = alertKind(kind);
  return {
    kind,
    ...(count && { count: when.count ?? count.default }),
    ...(within && { within: when.within ?? within.default }),
    ...(per && { per: when.per ?? per[0] }),
  };
}

/** Condition of a stored rule. */
const conditionOf = ({ kind, condition }: RuleRow): AlertCondition =>
  fullCondition({ ...(JSON.parse(condition) as Omit<AlertCondition, 'kind'>), kind: kind as AlertKind });

/** The part of a rule that its kind sees. */
export function watchingRule(id: number, when: AlertCondition, filter: string): WatchingRule {
  const { kind, count = 0, within = 0, per = 'group' } = fullCondition(when);
  return { id, kind, count, withinS: within, per, filter };
}

/** A stored rule as its kind sees it. */
export const toWatchingRule = (row: RuleRow): WatchingRule => watchingRule(row.id, conditionOf(row), row.filter);

/** Lists channels by name. */
export async function listChannels({ prisma }: Tx, { offset, limit }: Slice): Promise<Page<AlertChannel>> {
  const count = await prisma.webhook.count();
  if (limit === 0) return { data: [], meta: { count } };
  const select = { id: true, name: true, kind: true, enabled: true };
  const orderBy = [{ name: 'asc' as const }, { id: 'asc' as const }];
  const rows = await prisma.webhook.findMany({ select, orderBy, skip: offset, take: limit });
  return { data: rows.map((row) => ({ ...row, kind: row.kind as WebhookKind })), meta: { count } };
}

/** Ids of the channels of a rule. */
export const channelsOf = ({ channels }: RuleRow): number[] => channels.map(({ webhookId }) => webhookId);

/** The settings of a rule, as a person gives them. */
export const toDraft = (row: RuleRow): AlertRuleDraft => ({
  name: row.name,
  enabled: row.enabled,
  when: conditionOf(row),
  filter: row.filter,
  for: row.forS,
  cooldown: row.cooldownS,
  channels: channelsOf(row),
});

const FIRING = statement(
  (dialect) => `SELECT rule_id AS "ruleId", count(*) AS n FROM alert
    WHERE state <> 'resolved' AND state = 'firing' AND ${inJson(dialect, 'rule_id')} GROUP BY rule_id`,
);

/** Rules as the wire has them. */
export async function toRules({ sql }: Tx, rows: readonly RuleRow[]): Promise<AlertRule[]> {
  const counts = await sql.all<{ ruleId: number; n: number }>(FIRING, JSON.stringify(rows.map(({ id }) => id)));
  const firing = new Map(counts.map(({ ruleId, n }) => [ruleId, n]));
  return rows.map((row) => ({
    id: row.id,
    ...toDraft(row),
    firing: firing.get(row.id) ?? 0,
    last_fired: row.toldMs === 0n ? null : Number(row.toldMs) / 1000,
    created: Number(row.createdMs) / 1000,
    created_by: row.createdBy,
    modified: Number(row.modifiedMs) / 1000,
  }));
}

/** One rule as the wire has it. */
export async function toRule(tx: Tx, row: RuleRow): Promise<AlertRule> {
  const [rule] = await toRules(tx, [row]);
  return rule as AlertRule;
}

/** A page of rules, newest first. */
export async function listRules(tx: Tx, { offset, limit }: Slice): Promise<Page<AlertRule>> {
  const count = await tx.prisma.alertRule.count();
  if (limit === 0) return { data: [], meta: { count } };
  const order = { orderBy: { id: 'desc' }, skip: offset, take: limit } as const;
  const rows = await tx.prisma.alertRule.findMany({ ...order, include: WITH_CHANNELS });
  return { data: await toRules(tx, rows), meta: { count } };
}

/** Finds a rule. */
export const findRule = async ({ prisma }: Tx, id: number): Promise<RuleRow | undefined> =>
  (await prisma.alertRule.findUnique({ where: { id }, include: WITH_CHANNELS })) ?? undefined;

// Prisma cannot lock a row. SQLite has one writer anyway.
const LOCK_RULE = statement({
  sqlite: 'SELECT ? AS id',
  postgresql: 'SELECT id FROM alert_rule WHERE id = $1 FOR UPDATE',
});

/** Locks a rule until the end of the write, and reads it. */
export async function lockRule(tx: Tx, id: number): Promise<RuleRow | undefined> {
  await tx.sql.get(LOCK_RULE, id);
  return findRule(tx, id);
}

/** Counts the rules. */
export const countRules = ({ prisma }: Tx): Promise<number> => prisma.alertRule.count();

/** Returns the ids among these that no channel has. */
export async function unknownChannels({ prisma }: Tx, ids: readonly number[]): Promise<number[]> {
  const known = await prisma.webhook.findMany({ where: { id: { in: [...ids] } }, select: { id: true } });
  const found = new Set(known.map(({ id }) => id));
  return ids.filter((id) => !found.has(id));
}

const columns = ({ name, enabled, when, filter, for: forS, cooldown: cooldownS }: AlertRuleDraft) => {
  const { kind, ...condition } = fullCondition(when);
  return { name, enabled, kind, condition: JSON.stringify(condition), filter, forS, cooldownS };
};

async function setChannels(prisma: Prisma, ruleId: number, ids: readonly number[]): Promise<void> {
  await prisma.alertChannel.deleteMany({ where: { ruleId } });
  await prisma.alertChannel.createMany({ data: [...new Set(ids)].map((webhookId) => ({ ruleId, webhookId })) });
}

/** Adds a rule; returns its id. */
export async function createRule(
  { prisma }: Tx,
  draft: AlertRuleDraft,
  createdBy: string,
  nowMs: number,
): Promise<number> {
  const data = { ...columns(draft), createdMs: nowMs, modifiedMs: nowMs, createdBy };
  const { id } = await prisma.alertRule.create({ data, select: { id: true } });
  await setChannels(prisma, id, draft.channels);
  return id;
}

/** Changes a locked rule. With `restart` it begins anew, from now. */
export async function updateRule(
  { prisma }: Tx,
  id: number,
  draft: AlertRuleDraft,
  { restart, nowMs }: { readonly restart: boolean; readonly nowMs: number },
): Promise<void> {
  const data = { ...columns(draft), ...(restart ? { position: '' } : {}), modifiedMs: nowMs };
  await prisma.alertRule.update({ where: { id }, data });
  await setChannels(prisma, id, draft.channels);
}

/** Removes a locked rule with its alerts. */
export const removeRule = ({ prisma }: Tx, id: number): Promise<unknown> =>
  prisma.alertRule.delete({ where: { id }, select: { id: true } });

/** All rules; those about outages come first, so that others find their alerts. */
export async function allRules({ prisma }: Tx): Promise<RuleRow[]> {
  const rows = await prisma.alertRule.findMany({ orderBy: { id: 'asc' }, include: WITH_CHANNELS });
  return rows.sort((a, b) => Number(b.kind === 'agent.outage') - Number(a.kind === 'agent.outage'));
}

/** Stores the position of a locked rule, and the time of its latest message where it told something. */
export const saveRound = ({ prisma }: Tx, id: number, position: string, toldMs: number | undefined): Promise<unknown> =>
  prisma.alertRule.update({
    where: { id },
    data: { position, ...(toldMs === undefined ? {} : { toldMs }) },
    select: { id: true },
  });

/** A rule as it was read, and its position after the round. */
export interface MovedRule {
  readonly rule: RuleRow;
  readonly position: string;
}

// Each new group of errors moves every rule about new ones.
const MOVE = statement('UPDATE alert_rule SET position = ? WHERE id = ? AND position = ? AND modified_ms = ?');

/** Stores positions of rules that have not changed since they were read. */
export async function movePositions({ sql }: Tx, moved: readonly MovedRule[]): Promise<void> {
  for (const { rule, position } of moved) {
    await sql.run(MOVE, position, rule.id, rule.position, Number(rule.modifiedMs));
  }
}
