// Reads of the agents behind an error, and of those that do not have it.
import { type Database, statement } from '@quarterdeck/core/db';
import { among, inJson } from '@quarterdeck/core/sql';
import type { EventLoopYield } from '@quarterdeck/core/threads';

/** Rows of one statement. The event loop is free between two of them. */
const SLICE = 1_000;

/** An agent by which the host of a source is known. */
export interface Host {
  readonly id: number;
  readonly hostname: string;
  readonly ip: string;
}

const HOSTS = statement((dialect) => {
  const values = dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)';
  const [hostname, ip] = [among(dialect, 'hostname', values), among(dialect, 'ip', values)];
  return `SELECT id, hostname, ip FROM agent WHERE NOT is_deleted AND (${hostname} OR ${ip})`;
});

/** Agents that have one of the names as their hostname or address, deleted ones left out. */
export function hostsNamed(db: Database, names: readonly string[]): Promise<Host[]> {
  const json = JSON.stringify(names);
  return db.read.sql.all<Host>(HOSTS, json, json);
}

/** Facts of an agent. Times are Unix milliseconds. */
export interface KnownAgent {
  readonly id: number;
  readonly created_ms: number;
  /** Start of its complete history. */
  readonly history_from_ms: number;
  readonly interval_s: number;
  readonly last_reported_ms: number;
}

const agentsBy = (columns: string) =>
  statement((dialect) => `SELECT ${columns} FROM agent WHERE ${inJson(dialect, 'id')}`);
const AGENTS = agentsBy('id, created_ms, history_from_ms, interval_s, last_reported_ms');
const HOSTNAMES = agentsBy('id, hostname');

/** Returns agents by id. Purged ones are missing. */
export async function knownAgents(
  db: Database,
  ids: Iterable<number>,
  eventLoop: EventLoopYield,
): Promise<Map<number, KnownAgent>> {
  const found = new Map<number, KnownAgent>();
  await eventLoop.inParts([...new Set(ids)], SLICE, async (part) => {
    const json = JSON.stringify(part);
    for (const agent of await db.read.sql.all<KnownAgent>(AGENTS, json)) found.set(agent.id, agent);
  });
  return found;
}

/** Returns hostnames of a few agents. */
export async function hostnamesOf(db: Database, ids: Iterable<number>): Promise<Map<number, string>> {
  const json = JSON.stringify([...new Set(ids)]);
  const rows = await db.read.sql.all<{ id: number; hostname: string }>(HOSTNAMES, json);
  return new Map(rows.map(({ id, hostname }) => [id, hostname]));
}

const COUNT = statement('SELECT count(*) AS n FROM agent');
const NOT_THERE = statement('SELECT id FROM agent WHERE created_ms >= ? OR (deleted_ms > 0 AND deleted_ms <= ?)');

/** The agents of a time: their number and a test of membership. */
export interface Population {
  readonly size: number;
  /** Tests an agent that exists now. */
  has(agent: number): boolean;
}

/** Returns the agents registered before the end of a span and not deleted by its start. */
export async function agentsOf(db: Database, { fromMs, toMs }: { fromMs: number; toMs: number }): Promise<Population> {
  const all = (await db.read.sql.get<{ n: number }>(COUNT))?.n ?? 0;
  const others = new Set((await db.read.sql.all<{ id: number }>(NOT_THERE, toMs, fromMs)).map(({ id }) => id));
  return { size: all - others.size, has: (agent) => !others.has(agent) };
}

/** Agents with a label. */
export interface LabelRow {
  readonly name: string;
  readonly value: string;
  readonly n: number;
}

/** Labels that are counted: the most frequent. */
const LABELS_MAX = 500;

const OF_ALL = statement(
  `SELECT name, value, count(*) AS n FROM agent_label GROUP BY name, value HAVING count(*) > 1 ORDER BY n DESC LIMIT ?`,
);
const OF_SOME = statement(
  (dialect) =>
    `SELECT name, value, count(*) AS n FROM agent_label WHERE ${inJson(dialect, 'agent_id')} GROUP BY name, value`,
);

/** Returns the most frequent labels, without those of a single agent. */
export const labelsOfAll = (db: Database): Promise<LabelRow[]> => db.read.sql.all<LabelRow>(OF_ALL, LABELS_MAX);

/** Returns the labels of some agents. */
export const labelsOfSome = (db: Database, ids: Iterable<number>): Promise<LabelRow[]> =>
  db.read.sql.all<LabelRow>(OF_SOME, JSON.stringify([...ids]));
