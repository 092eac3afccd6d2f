// Reads and writes of alerts: the causes that rules have found.
import {
  ALERT_KIND_NAMES,
  type Alert,
  type AlertKind,
  type AlertState,
  type Page,
  type Slice,
} from '@quarterdeck/core';
import { type PrismaTypes, statement, type Tx } from '@quarterdeck/core/db';
import { among, inJson } from '../../sql/among.ts';
import type { NewAlert, OpenAlert } from './plan.ts';

const WITH_RULE = { rule: { select: { name: true, kind: true } } } as const;

/** An alert with the name and the kind of its rule. */
export type AlertRow = PrismaTypes.AlertGetPayload<{ include: typeof WITH_RULE }>;

const secondsOrNull = (ms: bigint) => (ms === 0n ? null : Number(ms) / 1000);

/** An alert as the wire has it. `under` is the number of alerts that hang under it. */
export const toAlert = (row: AlertRow, under: number): Alert => ({
  id: Number(row.id),
  rule_id: row.ruleId,
  rule: row.rule.name,
  kind: row.rule.kind as AlertKind,
  key: row.key,
  state: row.state as AlertState,
  title: row.title,
  detail: JSON.parse(row.detail) as Alert['detail'],
  parent_id: row.parentId === 0n ? null : Number(row.parentId),
  under,
  messages: row.messages,
  since: Number(row.sinceMs) / 1000,
  fired: secondsOrNull(row.firedMs),
  resolved: secondsOrNull(row.resolvedMs),
});

const UNDER = statement(
  (dialect) => `SELECT a.parent_id AS id, r.kind, count(*) AS n FROM alert a JOIN alert_rule r ON r.id = a.rule_id
    WHERE a.parent_id > 0 AND ${inJson(dialect, 'a.parent_id')} GROUP BY a.parent_id, r.kind`,
);

/** Counts the alerts of some kinds that hang under some alerts. */
export async function countUnder(
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
}

/** A page of alerts, newest first. */
export async function listAlerts(tx: Tx, filters: AlertFilters, { offset, limit }: Slice): Promise<Page<Alert>> {
  const { state, rule_id: ruleId, kind, readable } = filters;
  const kinds = readable.filter((one) => kind === undefined || one === kind);
  const where: PrismaTypes.AlertWhereInput = {
    ...(state && { state }),
    ...(ruleId && { ruleId }),
    ...(kinds.length < ALERT_KIND_NAMES.length && { rule: { kind: { in: kinds } } }),
  };
  const count = await tx.prisma.alert.count({ where });
  if (limit === 0) return { data: [], meta: { count } };
  const order = { orderBy: { id: 'desc' }, skip: offset, take: limit } as const;
  const rows = await tx.prisma.alert.findMany({ where, ...order, include: WITH_RULE });
  const under = await countUnder(
    tx,
    rows.map(({ id }) => Number(id)),
    readable,
  );
  const parents = readable.includes('agent.outage') ? {} : { parent_id: null };
  const data = rows.map((row) => ({ ...toAlert(row, under.get(Number(row.id)) ?? 0), ...parents }));
  return { data, meta: { count } };
}

const OPEN = statement(
  `SELECT id, key, state, since_ms AS "sinceMs", parent_id AS "parentId", messages, told_ms AS "toldMs"
   FROM alert WHERE rule_id = ? AND state <> 'resolved' ORDER BY id`,
);

/** Alerts of a rule that have not ended. */
export const openAlerts = ({ sql }: Tx, ruleId: number): Promise<OpenAlert[]> => sql.all<OpenAlert>(OPEN, ruleId);

const RULES_WITH_OPEN = statement("SELECT DISTINCT rule_id AS id FROM alert WHERE state <> 'resolved'");

/** Ids of the rules that have alerts which have not ended. */
export const rulesWithOpen = async ({ sql }: Tx): Promise<ReadonlySet<number>> =>
  new Set((await sql.all<{ id: number }>(RULES_WITH_OPEN)).map(({ id }) => id));

const PARENTS = statement(
  `SELECT a.key, max(a.id) AS id FROM alert a JOIN alert_rule r ON r.id = a.rule_id
   WHERE a.state <> 'resolved' AND r.kind = 'agent.outage' AND r.enabled GROUP BY a.key`,
);

/** Cause of an outage -> its open alert. */
export const outageAlerts = async ({ sql }: Tx): Promise<ReadonlyMap<string, number>> =>
  new Map((await sql.all<{ key: string; id: number }>(PARENTS)).map(({ key, id }) => [key, id]));

const TOLD = statement((dialect) => {
  const texts = dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)';
  return `SELECT key, max(told_ms) AS "toldMs" FROM alert
    WHERE rule_id = ? AND ${among(dialect, 'key', texts)} GROUP BY key`;
});

/** Cause -> time of the latest message of a rule about it. */
export async function lastTold(
  { sql }: Tx,
  ruleId: number,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map();
  const rows = await sql.all<{ key: string; toldMs: number }>(TOLD, ruleId, JSON.stringify(keys));
  return new Map(rows.map(({ key, toldMs }) => [key, toldMs]));
}

/** Columns of an alert that is added. */
const columns = (ruleId: number, alert: NewAlert, nowMs: number) => ({
  ruleId,
  key: alert.key,
  state: alert.state,
  title: alert.title,
  detail: JSON.stringify(alert.detail),
  parentId: alert.parentId,
  messages: alert.tell ? 1 : 0,
  sinceMs: alert.sinceMs,
  firedMs: alert.tell ? nowMs : 0,
  toldMs: alert.tell ? nowMs : alert.toldMs,
  resolvedMs: alert.state === 'resolved' ? nowMs : 0,
});

/** Adds an alert. */
export const insertAlert = ({ prisma }: Tx, ruleId: number, alert: NewAlert, nowMs: number): Promise<AlertRow> =>
  prisma.alert.create({ data: columns(ruleId, alert, nowMs), include: WITH_RULE });

/** Adds alerts that nothing is told of. */
export async function insertUntold(
  { prisma }: Tx,
  ruleId: number,
  alerts: readonly NewAlert[],
  nowMs: number,
): Promise<void> {
  if (alerts.length === 0) return;
  await prisma.alert.createMany({ data: alerts.map((alert) => columns(ruleId, alert, nowMs)) });
}

/** Lets an alert fire, with a message. */
export const tellAlert = (
  { prisma }: Tx,
  id: number,
  { title, detail, parentId }: Pick<NewAlert, 'title' | 'detail' | 'parentId'>,
  nowMs: number,
): Promise<AlertRow> =>
  prisma.alert.update({
    where: { id },
    data: {
      state: 'firing',
      title,
      detail: JSON.stringify(detail),
      parentId,
      messages: { increment: 1 },
      firedMs: nowMs,
      toldMs: nowMs,
    },
    include: WITH_RULE,
  });

/** Lets an alert fire without a message. */
export const fireAlert = ({ prisma }: Tx, id: number, parentId: number): Promise<unknown> =>
  prisma.alert.update({ where: { id }, data: { state: 'firing', parentId }, select: { id: true } });

/** Ends an alert whose end is told. */
export const endAlert = ({ prisma }: Tx, id: number, nowMs: number): Promise<AlertRow> =>
  prisma.alert.update({ where: { id }, data: { state: 'resolved', resolvedMs: nowMs }, include: WITH_RULE });

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
