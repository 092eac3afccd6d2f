// Reads and writes of rules.
import {
  type AlertChannel,
  type AlertCondition,
  type AlertKind,
  type AlertRule,
  type AlertRuleDraft,
  alertKind,
  isWithinSourceFilter,
  type Page,
  RESOURCE_LIMITS,
  type Slice,
  subjectNeeds,
  type UserActor,
  type WebhookKind,
} from '@quarterdeck/core';
import { type Prisma, type PrismaTypes, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import type { AuthorColumns } from '../../auth/author.repo.ts';
import { hasPermissions } from '../../auth/require-permissions.ts';
import type { WatchingRule } from './kinds/kind.ts';
import { readStops } from './rule-rights.ts';

const WITH_CHANNELS = { channels: { select: { webhookId: true }, orderBy: { webhookId: 'asc' } } } as const;

/** A rule with the ids of its channels. */
export type RuleRow = PrismaTypes.AlertRuleGetPayload<{ include: typeof WITH_CHANNELS }>;

/** A condition with the defaults of its kind. */
export function fullCondition({ kind, ...when }: AlertCondition): AlertCondition {
  const { count, within, per, resources } = alertKind(kind);
  const resource = resources && (when.resource ?? 'disk');
  return {
    kind,
    ...(resource && { resource }),
    ...(count && { count: when.count ?? (resource === undefined ? count.default : RESOURCE_LIMITS[resource]) }),
    ...(within && { within: when.within ?? within.default }),
    ...(per && { per: when.per ?? per[0] }),
  };
}

/** Condition of a stored rule. */
const conditionOf = ({ kind, condition }: RuleRow): AlertCondition =>
  fullCondition({ ...(JSON.parse(condition) as Omit<AlertCondition, 'kind'>), kind: kind as AlertKind });

/** The part of a rule that its kind sees. */
export function watchingRule(id: number, when: AlertCondition, filter: string, within: string): WatchingRule {
  const { kind, count = 0, within: withinS = 0, per = 'group', resource = 'disk' } = fullCondition(when);
  return { id, kind, count, withinS, per, resource, filter, within };
}

/** A stored rule as its kind sees it, within the sources of its author. */
export const toWatchingRule = (row: RuleRow, within: string): WatchingRule =>
  watchingRule(row.id, conditionOf(row), row.filter, within);

/** Lists channels by name. */
export async function listChannels({ prisma }: Tx, { offset, limit }: Slice): Promise<Page<AlertChannel>> {
  const count = await prisma.webhook.count();
  if (limit === 0) return { data: [], meta: { count } };
  const select = { id: true, name: true, kind: true, enabled: true };
  // Sorted here: the order of the database depends on its locale. There are few channels.
  const rows = await prisma.webhook.findMany({ select, orderBy: { id: 'asc' } });
  rows.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  return {
    data: rows.slice(offset, offset + limit).map((row) => ({ ...row, kind: row.kind as WebhookKind })),
    meta: { count },
  };
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
  repeat: row.repeatS,
  channels: channelsOf(row),
  runbook: row.runbook,
  issue: row.issue,
});

const FIRING = statement(
  (dialect) => `SELECT rule_id AS "ruleId", count(*) AS n FROM alert
    WHERE state <> 'resolved' AND state = 'firing' AND ${inJson(dialect, 'rule_id')} GROUP BY rule_id`,
);

/** Caller who looks at rules, and the time. */
export interface RuleViewer {
  readonly actor: UserActor;
  /** The caller, where it sees a part of the sources: it sees its own rules alone. */
  readonly restricted: UserActor | undefined;
  readonly nowMs: number;
}

/**
 * Tells whether a caller may see a rule. One who sees a part of the sources sees rules of its own: names and filters of
 * others reveal their hosts. An API token does not see rules of its owner that see more than itself.
 */
export const seesRule = (
  { restricted }: Pick<RuleViewer, 'restricted'>,
  { authorId, authorFilter }: Pick<RuleRow, 'authorId' | 'authorFilter'>,
): boolean =>
  restricted === undefined ||
  (authorId === restricted.userId && isWithinSourceFilter(authorFilter, restricted.credential.errlogFilter));

/** Rules as the wire has them. Alerts that the viewer may not read are counted nowhere. */
export async function toRules(tx: Tx, rows: readonly RuleRow[], viewer: RuleViewer): Promise<AlertRule[]> {
  const ids = JSON.stringify(rows.map(({ id }) => id));
  const counts = await tx.sql.all<{ ruleId: number; n: number }>(FIRING, ids);
  const firing = new Map(counts.map(({ ruleId, n }) => [ruleId, n]));
  const whyOf = await readStops(tx, rows);
  return rows.map((row) => {
    const isReadable = hasPermissions(viewer.actor, subjectNeeds(row.kind as AlertKind));
    const why = whyOf(row);
    return {
      id: row.id,
      ...toDraft(row),
      // Alerts of before the restriction of its author may be about more.
      firing: (isReadable && viewer.restricted === undefined && firing.get(row.id)) || 0,
      last_fired: isReadable && row.notifiedMs > 0n ? Number(row.notifiedMs) / 1000 : null,
      // The next round notes the time.
      stopped: why === undefined ? null : { since: (Number(row.stoppedMs) || viewer.nowMs) / 1000, why },
      created: Number(row.createdMs) / 1000,
      created_by: row.createdBy,
      modified: Number(row.modifiedMs) / 1000,
    };
  });
}

/** One rule as the wire has it. */
export async function toRule(tx: Tx, row: RuleRow, viewer: RuleViewer): Promise<AlertRule> {
  const [rule] = await toRules(tx, [row], viewer);
  return rule as AlertRule;
}

/** A page of rules, newest first. */
export async function listRules(tx: Tx, slice: Slice, viewer: RuleViewer): Promise<Page<AlertRule>> {
  const { offset, limit } = slice;
  if (viewer.restricted !== undefined) return listOwnRules(tx, slice, viewer);
  const count = await tx.prisma.alertRule.count();
  if (limit === 0) return { data: [], meta: { count } };
  const order = { orderBy: { id: 'desc' }, skip: offset, take: limit } as const;
  const rows = await tx.prisma.alertRule.findMany({ ...order, include: WITH_CHANNELS });
  return { data: await toRules(tx, rows, viewer), meta: { count } };
}

/** A page of the rules that a caller may see who sees a part of the sources. There are few rules of one author. */
async function listOwnRules({ prisma, ...tx }: Tx, { offset, limit }: Slice, viewer: RuleViewer) {
  const where = { authorId: viewer.restricted?.userId ?? 0 };
  const all = await prisma.alertRule.findMany({ where, orderBy: { id: 'desc' }, include: WITH_CHANNELS });
  const rows = all.filter((row) => seesRule(viewer, row));
  const data = await toRules({ prisma, ...tx }, rows.slice(offset, offset + limit), viewer);
  return { data, meta: { count: rows.length } };
}

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

const LOCK_RULES = statement(
  (dialect) =>
    `SELECT id FROM alert_rule WHERE ${inJson(dialect, 'id')} ORDER BY id ${dialect === 'sqlite' ? '' : 'FOR UPDATE'}`,
);

/** Locks rules until the end of the write, in the order of ids, so that two servers do not wait for each other. */
export async function lockRules({ prisma, sql }: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, RuleRow>> {
  await sql.all(LOCK_RULES, JSON.stringify(ids));
  const rows = await prisma.alertRule.findMany({ where: { id: { in: [...ids] } }, include: WITH_CHANNELS });
  return new Map(rows.map((row) => [row.id, row]));
}

export const countRules = ({ prisma }: Tx): Promise<number> => prisma.alertRule.count();

/** Returns the ids among these that no channel has. */
export async function unknownChannels({ prisma }: Tx, ids: readonly number[]): Promise<number[]> {
  const known = await prisma.webhook.findMany({ where: { id: { in: [...ids] } }, select: { id: true } });
  const found = new Set(known.map(({ id }) => id));
  return ids.filter((id) => !found.has(id));
}

const columns = (draft: AlertRuleDraft) => {
  const { name, enabled, filter, for: forS, cooldown: cooldownS, repeat: repeatS, runbook, issue } = draft;
  const { kind, ...condition } = fullCondition(draft.when);
  const times = { forS, cooldownS, repeatS };
  return { name, enabled, kind, condition: JSON.stringify(condition), filter, ...times, runbook, issue };
};

async function setChannels(prisma: Prisma, ruleId: number, ids: readonly number[]): Promise<void> {
  await prisma.alertChannel.deleteMany({ where: { ruleId } });
  await prisma.alertChannel.createMany({ data: [...new Set(ids)].map((webhookId) => ({ ruleId, webhookId })) });
}

/** Author and time of a change of a rule, and the position from which it then reads. */
export interface RuleOrigin {
  readonly author: AuthorColumns;
  readonly nowMs: number;
  /** Undefined: it goes on where it is. */
  readonly position: string | undefined;
}

/** Adds a rule; returns its id. */
export async function createRule(
  { prisma }: Tx,
  draft: AlertRuleDraft,
  createdBy: string,
  { author, nowMs, position = '' }: RuleOrigin,
): Promise<number> {
  const data = { ...columns(draft), ...author, position, createdMs: nowMs, modifiedMs: nowMs, createdBy };
  const { id } = await prisma.alertRule.create({ data, select: { id: true } });
  await setChannels(prisma, id, draft.channels);
  return id;
}

/** Changes a locked rule. Who changes it becomes its author. */
export async function updateRule(
  { prisma }: Tx,
  id: number,
  draft: AlertRuleDraft,
  { author, nowMs, position }: RuleOrigin,
): Promise<void> {
  const moved = position === undefined ? {} : { position };
  const data = { ...columns(draft), ...author, ...moved, stoppedMs: 0, modifiedMs: nowMs };
  await prisma.alertRule.update({ where: { id }, data });
  await setChannels(prisma, id, draft.channels);
}

/** Removes a locked rule with its alerts. */
export const removeRule = ({ prisma }: Tx, id: number): Promise<unknown> =>
  prisma.alertRule.delete({ where: { id }, select: { id: true } });

/** True for a rule that is evaluated before others: errors are grouped under the outages that were notified already. */
export const comesFirst = ({ kind }: Pick<RuleRow, 'kind'>): boolean => kind === 'agent.outage';

/** All rules, in the order in which they are evaluated. */
export async function allRules({ prisma }: Tx): Promise<RuleRow[]> {
  const rows = await prisma.alertRule.findMany({ orderBy: { id: 'asc' }, include: WITH_CHANNELS });
  return rows.sort((a, b) => Number(comesFirst(b)) - Number(comesFirst(a)));
}

/** The stored state of a rule after a round. */
export interface RoundState {
  readonly position: string;
  /** Time since which it has stopped; 0 while it runs. */
  readonly stoppedMs: number;
}

/** Stores the time of the latest message of some rules. */
export async function saveNotified({ prisma }: Tx, ids: readonly number[], nowMs: number): Promise<void> {
  if (ids.length > 0)
    await prisma.alertRule.updateMany({ where: { id: { in: [...ids] } }, data: { notifiedMs: nowMs } });
}

/** A rule as it was read, and its state after the round. */
export interface MovedRule extends RoundState {
  readonly rule: RuleRow;
}

// Each new group of errors moves every rule about new ones, so it is one statement.
const MOVE = statement({
  sqlite: `UPDATE alert_rule SET position = value ->> 'position', stopped_ms = value ->> 'stoppedMs' FROM json_each(?)
    WHERE alert_rule.id = value ->> 'id' AND alert_rule.position = value ->> 'before'
      AND modified_ms = value ->> 'modifiedMs'`,
  postgresql: `UPDATE alert_rule SET position = moved.position, stopped_ms = moved."stoppedMs"
    FROM json_to_recordset(CAST($1 AS json))
      AS moved(id integer, position text, before text, "stoppedMs" bigint, "modifiedMs" bigint)
    WHERE alert_rule.id = moved.id AND alert_rule.position = moved.before
      AND modified_ms = moved."modifiedMs"`,
});

/** Stores states of rules that have not changed since they were read. */
export async function moveRules({ sql }: Tx, moved: readonly MovedRule[]): Promise<void> {
  const rows = moved.map(({ rule: { id, position: before, modifiedMs }, position, stoppedMs }) => ({
    id,
    position,
    before,
    stoppedMs,
    modifiedMs: Number(modifiedMs),
  }));
  await sql.run(MOVE, JSON.stringify(rows));
}
