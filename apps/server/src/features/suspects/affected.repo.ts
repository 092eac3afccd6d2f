// Who has an error: the groups of it on all sources, and the agents behind these.
import { type Database, statement } from '@quarterdeck/core/db';
import { aboutError } from '../../errlog-store/tables/fingerprint-index.ts';
import type { EventLoopYield } from '../../event-loop-yield.ts';
import { among, inJson } from '../../sql/among.ts';

/** Rows of one statement: what comes after it has its turn in between. */
const SLICE = 1_000;
/** Groups of an error that are looked at. */
const MEMBERS_MAX = 20_000;

/** What is the same error on every source. */
export interface ErrorKey {
  readonly fingerprint: string;
  readonly level: number;
  readonly appId: number;
}

/** The error on one source. */
export interface Member {
  readonly id: number;
  readonly src: number;
  readonly count: number;
  /** Unix seconds: the earliest of what its lines say and of when the first of them came in. */
  readonly began: number;
  /** 0 = none that is known. */
  readonly agent: number;
}

interface MemberRow extends Member {
  readonly name: string;
  readonly address: string;
}

// What says when it happened is the sender's clock, which may be ahead; what came in had happened by then.
const MEMBERS = aboutError(
  (condition) => `SELECT e.id, e.src, e.count, s.agent_id AS agent, s.name, s.address,
     CASE WHEN e.arrived > 0 AND e.arrived < e.first_seen THEN e.arrived ELSE e.first_seen END AS began
   FROM errlog e JOIN source s ON s.id = e.src
   WHERE ${condition} AND e.src > ? ORDER BY e.src LIMIT ?`,
);

/** The groups of an error, by source; `complete`: all of them. */
export async function membersOf(
  db: Database,
  key: ErrorKey,
  turns: EventLoopYield,
): Promise<{ members: Member[]; complete: boolean }> {
  const rows: MemberRow[] = [];
  for (let more = true; more && rows.length < MEMBERS_MAX; ) {
    const after = rows.at(-1)?.src ?? -1;
    const slice = await db.read.sql.all<MemberRow>(MEMBERS, key.fingerprint, key.level, key.appId, after, SLICE);
    rows.push(...slice);
    more = slice.length === SLICE;
    if (!more) return { members: await withHosts(db, rows), complete: true };
    await turns.pause();
  }
  return { members: await withHosts(db, rows), complete: false };
}

const HOSTS = statement((dialect) => {
  const values = dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)';
  const [hostname, ip] = [among(dialect, 'hostname', values), among(dialect, 'ip', values)];
  return `SELECT id, hostname, ip FROM agent WHERE NOT is_deleted AND (${hostname} OR ${ip})`;
});

/**
 * Sources that no agent sent with its secret, such as those of syslog, belong to the agent of their host: the only one with
 * their name as its hostname or, where a sender gave no name, with their address. Worked out anew each time, because
 * hosts come, go and change their addresses. Behind a name the address says nothing: it may be that of a relay.
 */
async function withHosts(db: Database, rows: readonly MemberRow[]): Promise<Member[]> {
  const names = JSON.stringify([...new Set(rows.filter(({ agent }) => agent === 0).map(({ name }) => name))]);
  if (names === '[]') return [...rows];
  const hosts = await db.read.sql.all<{ id: number; hostname: string; ip: string }>(HOSTS, names, names);
  const byHostname = onlyOnes(hosts.map(({ id, hostname }) => [hostname, id]));
  const byAddress = onlyOnes(hosts.map(({ id, ip }) => [ip, id]));
  return rows.map((row) => {
    if (row.agent !== 0 || row.name === '') return row;
    const nameless = row.name === row.address;
    return { ...row, agent: byHostname.get(row.name) ?? (nameless ? byAddress.get(row.name) : undefined) ?? 0 };
  });
}

/** What is there once; what is there twice is 0. */
function onlyOnes(pairs: readonly (readonly [string, number])[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const [key, id] of pairs) found.set(key, found.has(key) ? 0 : id);
  return found;
}

/** What is known of an agent. Unix milliseconds. */
export interface KnownAgent {
  readonly id: number;
  readonly created_ms: number;
  /** From when on its history is whole. */
  readonly history_from_ms: number;
  readonly interval_s: number;
}

const agentsBy = (columns: string) =>
  statement((dialect) => `SELECT ${columns} FROM agent WHERE ${inJson(dialect, 'id')}`);
const AGENTS = agentsBy('id, created_ms, history_from_ms, interval_s');
const HOSTNAMES = agentsBy('id, hostname');

/** Agents by id; those that are purged are missing. */
export async function knownAgents(
  db: Database,
  ids: Iterable<number>,
  turns: EventLoopYield,
): Promise<Map<number, KnownAgent>> {
  const found = new Map<number, KnownAgent>();
  await turns.inParts([...new Set(ids)], SLICE, async (part) => {
    const json = JSON.stringify(part);
    for (const agent of await db.read.sql.all<KnownAgent>(AGENTS, json)) found.set(agent.id, agent);
  });
  return found;
}

/** Hostnames of a few agents. */
export async function hostnamesOf(db: Database, ids: Iterable<number>): Promise<Map<number, string>> {
  const json = JSON.stringify([...new Set(ids)]);
  const rows = await db.read.sql.all<{ id: number; hostname: string }>(HOSTNAMES, json);
  return new Map(rows.map(({ id, hostname }) => [id, hostname]));
}

const COUNT = statement('SELECT count(*) AS n FROM agent');
const NOT_THERE = statement('SELECT id FROM agent WHERE created_ms >= ? OR (deleted_ms > 0 AND deleted_ms <= ?)');

/** The agents of a time: how many there were, and whether one was of them. */
export interface Population {
  readonly size: number;
  /** Of an agent that is there now. */
  has(agent: number): boolean;
}

/** The agents that were registered before the end of a span, and not deleted by its start. */
export async function agentsOf(db: Database, { fromMs, toMs }: { fromMs: number; toMs: number }): Promise<Population> {
  const all = (await db.read.sql.get<{ n: number }>(COUNT))?.n ?? 0;
  const others = new Set((await db.read.sql.all<{ id: number }>(NOT_THERE, toMs, fromMs)).map(({ id }) => id));
  return { size: all - others.size, has: (agent) => !others.has(agent) };
}
