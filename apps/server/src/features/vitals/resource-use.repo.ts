// Reads which hosts use much of a resource, from the columns beside the packed vitals.
import { RESOURCE_LIMITS, RESOURCES, type Resource } from '@quarterdeck/core';
import { statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import { hourOf, hoursOf, rowsOfSpans, TENTHS, type VitalsSpan } from './vitals.repo.ts';

/** Use of a resource by a host. Percentages; times are Unix milliseconds. */
export interface ResourceUse {
  readonly agentId: number;
  readonly hostname: string;
  /** 1 while the agent is in maintenance. */
  readonly maintenance: number;
  readonly seenMs: number;
  readonly percent: number;
}

/** Hours before the present one whose latest values are looked at. */
const LOOKED_AT_HOURS = 2;

const PRESENT = (resource: Resource) =>
  statement(
    `SELECT v.agent_id AS "agentId", a.hostname, a.maintenance, v.seen_ms AS "seenMs", v.${resource} AS percent
     FROM agent_vitals v JOIN agent a ON a.id = v.agent_id
     WHERE v.hour >= ? AND v.${resource} > ? AND NOT a.is_deleted
       AND NOT EXISTS (SELECT 1 FROM agent_vitals n WHERE n.agent_id = v.agent_id AND n.hour > v.hour)
     ORDER BY v.${resource} DESC, v.agent_id LIMIT ?`,
  );
const HIGHEST = (resource: Resource) =>
  statement(
    `SELECT v.agent_id AS "agentId", a.hostname, a.maintenance, max(v.seen_ms) AS "seenMs", max(v.max_${resource}) AS percent
     FROM agent_vitals v JOIN agent a ON a.id = v.agent_id
     WHERE v.hour >= ? AND v.hour <= ? AND v.max_${resource} > ? AND NOT a.is_deleted
     GROUP BY v.agent_id, a.hostname, a.maintenance ORDER BY percent DESC, v.agent_id LIMIT ?`,
  );
const BY_RESOURCE = <T>(of: (resource: Resource) => T): Readonly<Record<Resource, T>> => ({
  cpu: of('cpu'),
  memory: of('memory'),
  disk: of('disk'),
  load: of('load'),
});
const PRESENT_BY = BY_RESOURCE(PRESENT);
const HIGHEST_BY = BY_RESOURCE(HIGHEST);

const inPercent = (rows: ResourceUse[]): ResourceUse[] =>
  rows.map((row) => ({ ...row, percent: row.percent / TENTHS }));

/** Hosts whose latest value is above a percentage, the highest first. A host may be silent for some hours. */
export const hostsAbove = async ({ sql }: Tx, resource: Resource, percent: number, nowMs: number, limit: number) =>
  inPercent(await sql.all<ResourceUse>(PRESENT_BY[resource], hourOf(nowMs) - LOOKED_AT_HOURS, percent * TENTHS, limit));

/** Hosts that were above a percentage in the hours of a span, with their highest value, the highest first. */
export const hostsOnceAbove = async (
  { sql }: Tx,
  resource: Resource,
  percent: number,
  [fromMs, toMs]: readonly [number, number],
  limit: number,
) => inPercent(await sql.all<ResourceUse>(HIGHEST_BY[resource], hourOf(fromMs), hourOf(toMs), percent * TENTHS, limit));

const HIGHEST_OF_ALL = RESOURCES.map((resource) => `max(v.max_${resource}) AS ${resource}`).join(', ');

/** Resources of a host that were over their usual limits in some hours. */
export interface HostOverLimits {
  readonly agentId: number;
  readonly over: readonly Resource[];
}

const OF_SPANS = statement(
  (dialect) => `SELECT v.agent_id AS "agentId", ${HIGHEST_OF_ALL} FROM ${rowsOfSpans(dialect)} GROUP BY v.agent_id`,
);

/** Hosts with vitals in the hours of their spans, and which resources were over their usual limits in these. */
export async function hostsOverLimits({ sql }: Tx, spans: readonly VitalsSpan[]): Promise<HostOverLimits[]> {
  const rows = await sql.all<Readonly<Record<Resource, number>> & { agentId: number }>(OF_SPANS, hoursOf(spans));
  return rows.map(({ agentId, ...highest }) => ({
    agentId,
    over: RESOURCES.filter((resource) => highest[resource] > RESOURCE_LIMITS[resource] * TENTHS),
  }));
}

const COUNTS = statement(
  (dialect) => `SELECT count(*) AS hosts, ${RESOURCES.map(
    (resource) =>
      `coalesce(sum(CASE WHEN ${resource} > ${RESOURCE_LIMITS[resource] * TENTHS} THEN 1 ELSE 0 END), 0) AS ${resource}`,
  ).join(', ')}
    FROM (SELECT v.agent_id, ${HIGHEST_OF_ALL} FROM agent_vitals v
      WHERE v.hour >= ? AND v.hour <= ? AND NOT (${inJson(dialect, 'v.agent_id')}) GROUP BY v.agent_id) AS other`,
);

/** Number of hosts that reported vitals in the hours of a span, and of those that were over each usual limit. */
export type OverLimitCounts = Readonly<Record<Resource, number>> & { readonly hosts: number };

/** Counts hosts over their usual limits in the hours of a span, without some hosts. */
export const countOverLimits = async (
  { sql }: Tx,
  [fromMs, toMs]: readonly [number, number],
  without: readonly number[],
): Promise<OverLimitCounts> =>
  (await sql.get<OverLimitCounts>(COUNTS, hourOf(fromMs), hourOf(toMs), JSON.stringify(without))) ?? {
    hosts: 0,
    cpu: 0,
    memory: 0,
    disk: 0,
    load: 0,
  };
