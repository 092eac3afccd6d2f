// Reads and writes of alerts: the causes that rules have found.
import {
  ALERT_KIND_NAMES,
  type Alert,
  type AlertCause,
  type AlertKind,
  type AlertState,
  alertWithin,
  type Page,
  type Slice,
} from '@quarterdeck/core';
import { type PrismaTypes, statement, type Tx } from '@quarterdeck/core/db';
import { among, inJson } from '@quarterdeck/core/sql';
import type { GrownAlert, NewAlert, OpenAlert } from './plan.ts';
import { type AlertViewer, seenAmong } from './seen-alerts.repo.ts';

const WITH_RULE = { rule: { select: { name: true, kind: true } } } as const;

/** An alert with the name and the kind of its rule. */
export type AlertRow = PrismaTypes.AlertGetPayload<{ include: typeof WITH_RULE }>;

const secondsOrNull = (ms: bigint) => (ms === 0n ? null : Number(ms) / 1000);

/** Facts about an alert that other tables have. */
export interface AlertContext {
  /** Number of alerts that are grouped under it. */
  readonly under: number;
  /** Name of the user who works on it. */
  readonly assignee: string;
}

/** An alert as the wire has it. */
export const toAlert = (row: AlertRow, { under, assignee }: AlertContext): Alert => ({
  id: Number(row.id),
  rule_id: row.ruleId,
  rule: row.rule.name,
  kind: row.rule.kind as AlertKind,
  key: row.key,
  groups: groupsOf(row),
  state: row.state as AlertState,
  title: row.title,
  detail: JSON.parse(row.detail) as Alert['detail'],
  cause: row.cause === '' ? null : (JSON.parse(row.cause) as AlertCause),
  parent_id: row.parentId === 0n ? null : Number(row.parentId),
  under,
  messages: row.messages,
  acknowledged: row.ackMs === 0n ? null : { time: Number(row.ackMs) / 1000, by: row.ackBy, note: row.ackNote },
  assigned: row.assigneeId === 0 ? null : { id: row.assigneeId, username: assignee },
  muted_until: secondsOrNull(row.mutedMs),
  since: Number(row.sinceMs) / 1000,
  fired: secondsOrNull(row.firedMs),
  resolved: secondsOrNull(row.resolvedMs),
});

/** Ids of the groups of errors that an alert is about. */
export const groupsOf = ({ groups }: { readonly groups: string }): number[] => JSON.parse(groups) as number[];

/** Reads the facts that other tables have about some alerts. */
export async function contextsOf(
  tx: Tx,
  rows: readonly AlertRow[],
  readable: readonly AlertKind[] = ALERT_KIND_NAMES,
): Promise<(row: AlertRow) => AlertContext> {
  const under = await countUnder(
    tx,
    rows.map(({ id }) => Number(id)),
    readable,
  );
  const ids = [...new Set(rows.flatMap(({ assigneeId }) => (assigneeId === 0 ? [] : assigneeId)))];
  const users =
    ids.length === 0
      ? []
      : await tx.prisma.user.findMany({ where: { id: { in: ids } }, select: { id: true, username: true } });
  const names = new Map(users.map(({ id, username }) => [id, username]));
  return ({ id, assigneeId }) => ({ under: under.get(Number(id)) ?? 0, assignee: names.get(assigneeId) ?? '' });
}

/** Some alerts as the wire has them. */
export async function toAlerts(
  tx: Tx,
  rows: readonly AlertRow[],
  readable: readonly AlertKind[] = ALERT_KIND_NAMES,
): Promise<Alert[]> {
  const contextOf = await contextsOf(tx, rows, readable);
  return rows.map((row) => toAlert(row, contextOf(row)));
}

export const findAlert = async ({ prisma }: Tx, id: number): Promise<AlertRow | undefined> =>
  (await prisma.alert.findUnique({ where: { id }, include: WITH_RULE })) ?? undefined;

/** Changes an alert, and reads it. */
export const updateAlert = ({ prisma }: Tx, id: number, data: PrismaTypes.AlertUpdateInput): Promise<AlertRow> =>
  prisma.alert.update({ where: { id }, data, include: WITH_RULE });

const UNDER = statement(
  (dialect) => `SELECT a.parent_id AS id, r.kind, count(*) AS n FROM alert a JOIN alert_rule r ON r.id = a.rule_id
    WHERE a.parent_id > 0 AND ${inJson(dialect, 'a.parent_id')} GROUP BY a.parent_id, r.kind`,
);

/** Counts the alerts of some kinds that are grouped under some alerts. */
async function countUnder(
  { sql }: Tx,
  ids: readonly number[],
  readable: readonly AlertKind[] = ALERT_KIND_NAMES,
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (const { id, kind, n } of await sql.all<{ id: number; kind: AlertKind; n: number }>(UNDER, JSON.stringify(ids))) {
    if (readable.includes(kind)) counts.set(id, (counts.get(id) ?? 0) + n);
  }
  return counts;
}

/** Filters of the list of alerts. */
export interface AlertFilters {
  readonly state?: AlertState | undefined;
  readonly rule_id?: number | undefined;
  readonly kind?: AlertKind | undefined;
  /** Kinds that the caller may read: alerts of others are left out, also of counts. */
  readonly readable: readonly AlertKind[];
  /** Caller who sees a part of the sources: other alerts are left out as well. */
  readonly viewer?: AlertViewer | undefined;
}

/** Newest alerts that are looked at for a caller who sees a part of the sources. */
const LOOKED_MAX = 10_000;

/** A page of alerts, newest first. */
export async function listAlerts(tx: Tx, filters: AlertFilters, { offset, limit }: Slice): Promise<Page<Alert>> {
  const { state, rule_id: ruleId, kind, readable, viewer } = filters;
  const kinds = readable.filter((one) => kind === undefined || one === kind);
  const where: PrismaTypes.AlertWhereInput = {
    ...(state && { state }),
    ...(ruleId && { ruleId }),
    ...(kinds.length < ALERT_KIND_NAMES.length && { rule: { kind: { in: kinds } } }),
  };
  if (viewer !== undefined) {
    const newest = { orderBy: { id: 'desc' }, take: LOOKED_MAX } as const;
    const select = { id: true, key: true, groups: true, within: true } as const;
    const looked = await tx.prisma.alert.findMany({ where, ...newest, select });
    const seen = await seenAmong(
      tx,
      viewer,
      looked.map(({ id, ...row }) => ({ id: Number(id), ...row })),
    );
    const ids = [...seen].slice(offset, offset + limit);
    const page = { where: { id: { in: ids } }, orderBy: { id: 'desc' }, include: WITH_RULE } as const;
    const rows = ids.length === 0 ? [] : await tx.prisma.alert.findMany(page);
    return { data: (await toAlerts(tx, rows, readable)).map(alertWithin), meta: { count: seen.size } };
  }
  const count = await tx.prisma.alert.count({ where });
  if (limit === 0) return { data: [], meta: { count } };
  const order = { orderBy: { id: 'desc' }, skip: offset, take: limit } as const;
  const rows = await tx.prisma.alert.findMany({ where, ...order, include: WITH_RULE });
  const data = await toAlerts(tx, rows, readable);
  const shown = await readableParents(tx, rows, readable);
  return { data: data.map((alert) => ({ ...alert, parent_id: shown(alert.parent_id) })), meta: { count } };
}

const PARENT_KINDS = statement(
  (dialect) =>
    `SELECT a.id, r.kind FROM alert a JOIN alert_rule r ON r.id = a.rule_id WHERE ${inJson(dialect, 'a.id')}`,
);

/** Reads the alerts under which some are grouped, and leaves out those of kinds that the caller may not read. */
export async function readableParents(
  { sql }: Tx,
  rows: readonly AlertRow[],
  readable: readonly AlertKind[],
): Promise<(id: number | null) => number | null> {
  const ids = [...new Set(rows.flatMap(({ parentId }) => (parentId === 0n ? [] : Number(parentId))))];
  if (ids.length === 0) return () => null;
  const found = await sql.all<{ id: number; kind: AlertKind }>(PARENT_KINDS, JSON.stringify(ids));
  const shown = new Set(found.flatMap(({ id, kind }) => (readable.includes(kind) ? id : [])));
  return (id) => (id !== null && shown.has(id) ? id : null);
}

const OPEN_COLUMNS = `id, key, state, since_ms AS "sinceMs", parent_id AS "parentId", messages, groups,
  fired_ms AS "firedMs", told_ms AS "notifiedMs", ack_ms AS "ackMs", muted_ms AS "mutedMs"`;

const OPEN = statement(`SELECT ${OPEN_COLUMNS}, rule_id AS "ruleId" FROM alert WHERE state <> 'resolved' ORDER BY id`);

/** Rule -> its alerts that have not ended. */
export async function openAlerts({ sql }: Tx): Promise<ReadonlyMap<number, readonly OpenAlert[]>> {
  const open = new Map<number, OpenAlert[]>();
  for (const { ruleId, ...alert } of await sql.all<OpenAlert & { readonly ruleId: number }>(OPEN)) {
    const ofRule = open.get(ruleId) ?? [];
    open.set(ruleId, ofRule);
    ofRule.push(alert);
  }
  return open;
}

const PARENTS = statement(
  `SELECT a.key, max(a.id) AS id FROM alert a JOIN alert_rule r ON r.id = a.rule_id
   WHERE a.state <> 'resolved' AND r.kind = 'agent.outage' AND r.enabled GROUP BY a.key`,
);

/** Cause of an outage -> its open alert. */
export const outageAlerts = async ({ sql }: Tx): Promise<ReadonlyMap<string, number>> =>
  new Map((await sql.all<{ key: string; id: number }>(PARENTS)).map(({ key, id }) => [key, id]));

const NOTIFIED = statement((dialect) => {
  const texts = dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)';
  return `SELECT key, max(told_ms) AS "notifiedMs" FROM alert
    WHERE rule_id = ? AND ${among(dialect, 'key', texts)} GROUP BY key`;
});

/** Cause -> time of the latest message of a rule about it. */
export async function lastNotified(
  { sql }: Tx,
  ruleId: number,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map();
  const rows = await sql.all<{ key: string; notifiedMs: number }>(NOTIFIED, ruleId, JSON.stringify(keys));
  return new Map(rows.map(({ key, notifiedMs }) => [key, notifiedMs]));
}

const TEXTS = statement((dialect) => `SELECT id, title, detail FROM alert WHERE ${inJson(dialect, 'id')}`);

interface Texts {
  readonly id: number;
  readonly title: string;
  readonly detail: string;
}

/** Title and detail of some alerts, by id. */
export async function textsOf(
  { sql }: Tx,
  alerts: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number, Texts>> {
  if (alerts.length === 0) return new Map();
  const rows = await sql.all<Texts>(TEXTS, JSON.stringify(alerts.map(({ id }) => id)));
  return new Map(rows.map((row) => [row.id, row]));
}

const TO_LOOK_AT = statement(
  `SELECT id, rule_id AS "ruleId", fired_ms AS "firedMs", looks FROM alert
   WHERE fired_ms > ? AND messages > 0 AND groups <> '[]' AND looks < ? ORDER BY fired_ms`,
);

/** An alert whose cause was looked at a number of times after its first message. */
export interface LookedAt {
  readonly id: number;
  readonly ruleId: number;
  readonly firedMs: number;
  readonly looks: number;
}

/** Alerts about errors that fired after a time and were looked at fewer times, the first to fire first. */
export const alertsToLookAt = ({ sql }: Tx, afterMs: number, looks: number): Promise<LookedAt[]> =>
  sql.all<LookedAt>(TO_LOOK_AT, afterMs, looks);

/** Columns of an alert that is added. */
const columns = (ruleId: number, alert: NewAlert, nowMs: number) => ({
  ruleId,
  key: alert.key,
  state: alert.state,
  title: alert.title,
  detail: JSON.stringify(alert.detail),
  groups: JSON.stringify(alert.groups ?? []),
  parentId: alert.parentId,
  messages: alert.notify ? 1 : 0,
  sinceMs: alert.sinceMs,
  firedMs: alert.notify ? nowMs : 0,
  notifiedMs: alert.notify ? nowMs : alert.notifiedMs,
  resolvedMs: alert.state === 'resolved' ? nowMs : 0,
});

/** An alert that a rule adds, with its suspected change as JSON text. */
interface Added {
  readonly rule: { readonly id: number; readonly name: string; readonly kind: string };
  readonly alert: NewAlert;
  readonly cause: string;
  /** Sources that the author of the rule may see; empty is all. */
  readonly within: string;
}

/** Adds alerts; returns them in no order. */
export async function insertAlerts({ prisma }: Tx, added: readonly Added[], nowMs: number): Promise<AlertRow[]> {
  if (added.length === 0) return [];
  const data = added.map(({ rule, alert, cause, within }) => ({
    ...columns(rule.id, alert, nowMs),
    cause,
    within,
  }));
  const rows = await prisma.alert.createManyAndReturn({ data });
  const ruleOf = new Map(added.map(({ rule: { id, name, kind } }) => [id, { name, kind }]));
  return rows.map((row) => ({ ...row, rule: ruleOf.get(row.ruleId) ?? { name: '', kind: '' } }));
}

const COVER = statement({
  sqlite: `UPDATE alert SET messages = 0, parent_id = value ->> 'parentId' FROM json_each(?)
    WHERE alert.id = value ->> 'id'`,
  postgresql: `UPDATE alert SET messages = 0, parent_id = covered."parentId"
    FROM json_to_recordset(CAST($1 AS json)) AS covered(id bigint, "parentId" bigint) WHERE alert.id = covered.id`,
});

/** Groups alerts under others whose messages stand for theirs. */
export async function coverAlerts(
  { sql }: Tx,
  covered: readonly { readonly id: number; readonly parentId: number }[],
): Promise<void> {
  if (covered.length > 0) await sql.run(COVER, JSON.stringify(covered));
}

/** Lets an alert fire, or fire again, with a message. */
export async function markNotified(
  tx: Tx,
  id: number,
  {
    title,
    detail,
    parentId,
    cause,
    within,
  }: Pick<NewAlert, 'title' | 'detail' | 'parentId'> & Pick<Added, 'cause' | 'within'>,
  nowMs: number,
): Promise<AlertRow> {
  const notified = { messages: { increment: 1 }, notifiedMs: nowMs } as const;
  const row = await updateAlert(tx, id, {
    ...notified,
    state: 'firing',
    within,
    title,
    detail: JSON.stringify(detail),
    parentId,
    ...(cause !== '' && { cause }),
  });
  return row.firedMs === 0n ? updateAlert(tx, id, { firedMs: nowMs }) : row;
}

/** Adds the groups of further causes of the same moment to an alert; one about many counts them. */
export async function growAlert(tx: Tx, { id, groups, more, manyTitle }: GrownAlert, within: string): Promise<void> {
  const { detail } = await tx.prisma.alert.findUniqueOrThrow({ where: { id }, select: { detail: true } });
  const { count: before = 0, ...rest } = JSON.parse(detail) as { readonly count?: number };
  const count = before + more;
  const texts = manyTitle && { title: manyTitle(count), detail: JSON.stringify({ ...rest, count }) };
  const data = { groups: JSON.stringify(groups), grown: { increment: more }, within, ...texts };
  await tx.prisma.alert.update({ where: { id }, data, select: { id: true } });
}

/** Lets an alert fire without a message. */
export const fireAlert = ({ prisma }: Tx, id: number, parentId: number): Promise<unknown> =>
  prisma.alert.update({ where: { id }, data: { state: 'firing', parentId }, select: { id: true } });

/** Ends alerts whose ends are notified; `ending` replaces the texts of one. Returns them. */
export async function endAlerts(
  tx: Tx,
  alerts: readonly Pick<OpenAlert, 'id' | 'ending'>[],
  nowMs: number,
): Promise<AlertRow[]> {
  if (alerts.length === 0) return [];
  const where = { id: { in: alerts.map(({ id }) => BigInt(id)) } };
  await tx.prisma.alert.updateMany({ where, data: { state: 'resolved', resolvedMs: nowMs } });
  for (const { id, ending } of alerts) {
    if (ending !== undefined) await updateAlert(tx, id, { ...ending, detail: JSON.stringify(ending.detail) });
  }
  return tx.prisma.alert.findMany({ where, orderBy: { id: 'asc' }, include: WITH_RULE });
}

/** Ends alerts without a message. Those that never fired leave nothing. */
export async function endQuietly({ prisma }: Tx, alerts: readonly OpenAlert[], nowMs: number): Promise<void> {
  const idsOf = (isPending: boolean) =>
    alerts.flatMap(({ id, state }) => ((state === 'pending') === isPending ? id : []));
  const [pending, firing] = [idsOf(true), idsOf(false)];
  if (pending.length > 0) await prisma.alert.deleteMany({ where: { id: { in: pending } } });
  if (firing.length === 0) return;
  await prisma.alert.updateMany({
    where: { id: { in: firing } },
    data: { state: 'resolved', resolvedMs: nowMs },
  });
}

/** Deletes up to `limit` alerts that ended before a time; returns how many. */
export async function removeOldAlerts({ prisma }: Tx, beforeMs: number, limit: number): Promise<number> {
  const where = { resolvedMs: { gt: 0, lt: beforeMs } };
  return (await prisma.alert.deleteMany({ where, limit })).count;
}
