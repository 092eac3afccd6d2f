// Reads which hosts use much of a resource, from the columns beside the packed vitals.
import type { Resource } from '@quarterdeck/core';
import { statement, type Tx } from '@quarterdeck/core/db';
import { hourOf, TENTHS } from './vitals.repo.ts';

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
