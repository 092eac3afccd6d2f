// The agents that a change concerns, and the hosts that somebody knows.
import { isIP } from 'node:net';
import type { AgentLabels, ChangeDraft } from '@quarterdeck/core';
import { type Database, statement } from '@quarterdeck/core/db';
import { among, Where } from '@quarterdeck/core/sql';
import type { EventLoopYield } from '@quarterdeck/core/threads';

/** Hosts of one statement. The event loop is free between two of them. */
const SLICE = 500;

/** A host that a change names. */
export interface NamedHost {
  readonly host: string;
  /** It is an agent or a source. */
  readonly known: boolean;
}

/** Hosts and agents that a change concerns. */
export interface Concerned {
  readonly hosts: readonly NamedHost[];
  /** Ids of agents in order. */
  readonly agents: readonly number[];
}

const named = (column: string, table: string) =>
  statement((dialect) => {
    const values =
      dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)';
    return `SELECT ${table === 'agent' ? 'id' : '0 AS id'}, ${column} AS host FROM ${table}
      WHERE ${table === 'agent' ? 'NOT is_deleted AND ' : ''}${among(dialect, column, values)}`;
  });
const BY_HOSTNAME = named('hostname', 'agent');
const BY_NODE_ID = named('node_id', 'agent');
const BY_ADDRESS = named('ip', 'agent');
const SOURCES = named('name', 'source');

const WITH_LABELS = statement((dialect) => {
  const labels = dialect === 'sqlite' ? 'json_each(?)' : 'jsonb_each_text(?::jsonb)';
  return `SELECT a.id FROM ${labels} given JOIN agent_label l ON l.name = given.key AND l.value = given.value
    JOIN agent a ON a.id = l.agent_id WHERE NOT a.is_deleted GROUP BY a.id HAVING count(*) = ?`;
});
const ALL = statement('SELECT id FROM agent WHERE NOT is_deleted');

/** Finds the agents that a change concerns: those that it names, those with its labels, or the whole fleet. */
export async function findConcerned(
  db: Database,
  { hosts, labels }: Pick<ChangeDraft, 'hosts' | 'labels'>,
  eventLoop: EventLoopYield,
): Promise<Concerned> {
  const { sql } = db.read;
  const known = new Set<string>();
  const agents = new Set<number>();
  const unique = [...new Set(hosts)];
  await eventLoop.inParts(unique, SLICE, async (part) => {
    const json = JSON.stringify(part);
    const addresses = part.filter((host) => isIP(host) !== 0);
    const found = [...(await sql.all<Found>(BY_HOSTNAME, json)), ...(await sql.all<Found>(BY_NODE_ID, json))];
    // No index has the addresses.
    if (addresses.length > 0) found.push(...(await sql.all<Found>(BY_ADDRESS, JSON.stringify(addresses))));
    for (const { id, host } of found) {
      agents.add(id);
      known.add(host);
    }
    for (const { host } of await sql.all<Found>(SOURCES, json)) known.add(host);
  });
  if (hosts === undefined || labels !== undefined) {
    for (const id of await withLabels(db, labels ?? {})) agents.add(id);
  }
  return {
    hosts: unique.map((host) => ({ host, known: known.has(host) })),
    agents: [...agents].sort((a, b) => a - b),
  };
}

interface Found {
  readonly id: number;
  readonly host: string;
}

async function withLabels({ read: { sql } }: Database, labels: AgentLabels): Promise<number[]> {
  const count = Object.keys(labels).length;
  const rows =
    count === 0
      ? await sql.all<{ id: number }>(ALL)
      : await sql.all<{ id: number }>(WITH_LABELS, JSON.stringify(labels), count);
  return rows.map(({ id }) => id);
}

/** Condition on `change c`: it is in the history of the agents of a host, or names the host. */
export function whereHost(host: string): Where {
  const ofAgents = `SELECT h.change_id FROM agent_change h
    WHERE h.kind = 'change' AND h.agent_id IN (SELECT id FROM agent WHERE hostname = ? OR node_id = ? OR ip = ?)`;
  const naming = 'SELECT change_id FROM change_host WHERE host = ?';
  return new Where().and(`(c.id IN (${ofAgents}) OR c.id IN (${naming}))`, host, host, host, host);
}
