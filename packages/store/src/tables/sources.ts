// Sources of error logs. The identity of a source never changes, so ids can be cached.
import type { ErrlogSource, Page, Slice } from '@quarterdeck/core';
import { type Database, type SqlTx, statement } from '@quarterdeck/core/db';
import { nameKey } from '@quarterdeck/core/plain';
import { cached, likePattern, likeText, Where } from '@quarterdeck/core/sql';
import { type GroupCondition, ROW } from './filter.ts';
import { markedName } from './sender-names.ts';

/** Converts a node id to its form on the wire: -1 becomes null. */
export const toNodeId = (id: number | null | undefined): number | null => (id === NO_NODE ? null : (id ?? null));

/** Identity of a source, and the address that it was first seen at. */
export interface Sender {
  /** 0 global, 1 admin site, 2 log server. */
  readonly nodeType: number;
  /** -1 = none. */
  readonly nodeId: number;
  readonly name: string;
  readonly address: string;
  /** The agent whose secret the lines came with. */
  readonly agentId?: number;
  /** The credential that the lines came with; without one, the address. */
  readonly credential?: string;
}

const NO_NODE = -1;
/** Cached ids; beyond, the oldest is dropped. */
const REMEMBERED_MAX = 50_000;

/** SQL of the part of the name of an agent's `source s` behind the id: ` nginx` of `agent 12 nginx`. */
export const NAME_BEHIND_AGENT = "substr(s.name, length('agent ' || s.agent_id) + 1)";

/**
 * SQL of the host of a `source s`, which is also its displayed name: the present name of its agent, or its own. A mark
 * tells it from the sender that had the name first: `gw1 (agent 12)`, `gw1 (192.0.2.1)`.
 */
export const HOST = `CASE WHEN s.agent_id = 0 THEN CASE s.host WHEN '' THEN s.name ELSE s.host END
  ELSE coalesce((SELECT n.name FROM agent_name n WHERE n.agent_id = s.agent_id ORDER BY n.from_line DESC LIMIT 1)
    || ${NAME_BEHIND_AGENT}, s.name) END`;

const FIND = statement('SELECT id FROM source WHERE node_type = ? AND node_id = ? AND name = ? AND agent_id = ?');
const INSERT = statement(
  `INSERT INTO source (node_type, node_id, name, name_key, host, address, agent_id, created_ms)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?)
   ON CONFLICT (node_type, node_id, name, agent_id) DO NOTHING`,
);

const NEWEST_NAMES = statement('SELECT name FROM source ORDER BY id DESC LIMIT ?');

// Goes from one service to the next in the index: groups of one service are many.
const SERVICES = statement(
  `WITH RECURSIVE known(service) AS (
     SELECT min(service) FROM errlog WHERE service > ''
     UNION ALL SELECT (SELECT min(service) FROM errlog WHERE service > known.service) FROM known
     WHERE known.service IS NOT NULL)
   SELECT service AS name FROM known WHERE service IS NOT NULL LIMIT ?`,
);

/** Names that senders gave before. */
export interface StoredNames {
  /** Names of the newest sources, the oldest of them first. */
  readonly hosts: readonly string[];
  readonly services: readonly string[];
}

/** Returns names of hosts and of services, at most `limit` each. */
export async function storedNames({ sql }: SqlTx, limit: number): Promise<StoredNames> {
  const hosts = await sql.all<{ name: string }>(NEWEST_NAMES, limit);
  const services = await sql.all<{ name: string }>(SERVICES, limit);
  return { hosts: hosts.map(({ name }) => name).reverse(), services: services.map(({ name }) => name) };
}

const keyOf = ({ nodeType, nodeId, agentId = 0, name }: Sender) => `${nodeType},${nodeId},${agentId},${name}`;

/** Cache of source ids. */
export class SourceIds {
  readonly #remembered = new Map<string, number>();

  /**
   * Returns the ids of senders, inserting those that are new, inside a write. `found` is for {@link
   * SourceIds.remember} once the write is durable. `nowMs` is in Unix milliseconds.
   */
  async find(
    tx: SqlTx,
    senders: Iterable<Sender>,
    nowMs: number,
  ): Promise<{ ids: Map<Sender, number>; found: (readonly [Sender, number])[] }> {
    const ids = new Map<Sender, number>();
    const unknown: (readonly [key: string, Sender])[] = [];
    for (const sender of senders) {
      const key = keyOf(sender);
      const known = this.#remembered.get(key);
      if (known === undefined) unknown.push([key, sender]);
      else ids.set(sender, known);
    }
    // In the same order on all servers: two that insert the same sources wait for each other, and do not deadlock.
    unknown.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
    const found: (readonly [Sender, number])[] = [];
    for (const [, sender] of unknown) {
      const id = await findOrInsert(tx, sender, nowMs);
      ids.set(sender, id);
      found.push([sender, id]);
    }
    return { ids, found };
  }

  /** Returns the id of a sender without inserting it: 0, this server, if it is not known. */
  async knownId({ sql }: SqlTx, sender: Sender): Promise<number> {
    const { nodeType, nodeId, name, agentId = 0 } = sender;
    const known = this.#remembered.get(keyOf(sender));
    return known ?? (await sql.get<{ id: number }>(FIND, nodeType, nodeId, name, agentId))?.id ?? 0;
  }

  remember(found: readonly (readonly [Sender, number])[]): void {
    for (const [sender, id] of found) {
      if (this.#remembered.size >= REMEMBERED_MAX) {
        for (const oldest of this.#remembered.keys()) {
          this.#remembered.delete(oldest);
          break;
        }
      }
      this.#remembered.set(keyOf(sender), id);
    }
  }
}

async function findOrInsert({ sql }: SqlTx, sender: Sender, nowMs: number): Promise<number> {
  const { nodeType, nodeId, name, address, agentId = 0, credential = '' } = sender;
  const find = async (named: string) => (await sql.get<{ id: number }>(FIND, nodeType, nodeId, named, agentId))?.id;
  let id = await find(name);
  if (id === undefined) {
    const host = agentId === 0 ? await markedName(sql, name, address || credential) : '';
    await sql.run(INSERT, nodeType, nodeId, name, nameKey(name), host, address, agentId, nowMs);
    id = await find(name);
  }
  if (id === undefined) throw new Error('a source vanished');
  return id;
}

/** Returns a page of sources, newest first. `q` is a part of the name or address, `agent_id` the agent. */
export async function listSources(
  { dialect, read: { sql } }: Database,
  { q, agent_id: agentId }: { readonly q?: string | undefined; readonly agent_id?: number | undefined },
  slice: Slice,
  access: { readonly condition: GroupCondition } | undefined,
): Promise<Page<ErrlogSource>> {
  const where = new Where();
  // A source whose services are not admitted is not known to the caller.
  const seen = access && { ...access.condition, text: ` AND ${access.condition.text.replaceAll(ROW, 't')}` };
  if (seen !== undefined) {
    where.and(`EXISTS (SELECT 1 FROM errlog_total t WHERE t.src = s.id${seen.text})`, ...seen.values);
  }
  if (q !== undefined) {
    const pattern = likePattern(q);
    where.and(`(${likeText(dialect, HOST)} OR ${likeText(dialect, 's.address')})`, pattern, pattern);
  }
  where.andIf('s.agent_id = ?', agentId);
  const { text: condition, values } = where;
  const count = await sql.get<{ n: number }>(cached(`SELECT count(*) AS n FROM source s${condition}`), ...values);
  const text = `SELECT s.id, s.node_type, s.node_id, ${HOST} AS name, s.address, s.agent_id, s.created_ms / 1000 AS created,
      (SELECT CAST(coalesce(sum(t.n), 0) AS bigint) FROM errlog_total t WHERE t.src = s.id${seen?.text ?? ''}) AS groups
    FROM source s${condition} ORDER BY s.id DESC LIMIT ? OFFSET ?`;
  const rows = await sql.all<ErrlogSource & { node_id: number }>(
    cached(text),
    ...(seen?.values ?? []),
    ...values,
    slice.limit,
    slice.offset,
  );
  return {
    data: rows.map((row) => ({ ...row, node_id: toNodeId(row.node_id) })),
    meta: { count: count?.n ?? 0 },
  };
}
