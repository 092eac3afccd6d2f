// Sources of error logs. The identity of a source never changes, so ids can be cached.
import type { ErrlogSource, Page, Slice } from '@quarterdeck/core';
import { type Database, type SqlTx, statement } from '@quarterdeck/core/db';
import { cached } from '../../sql/cached.ts';
import { likePattern, likeText } from '../../sql/like.ts';
import { Where } from '../../sql/where.ts';

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

/**
 * SQL of the host of a `source s`: its name. In names of agents (`agent 12`, `agent 12 nginx`) the hostname replaces
 * `agent 12`.
 */
export const HOST = `coalesce((SELECT a.hostname || substr(s.name, length('agent ' || a.id) + 1) FROM agent a
  WHERE a.id = s.agent_id), s.name)`;

/** SQL: a `source o` is that of an agent. Only with both conditions SQLite uses the index, which leaves out 0. */
const OF_AGENT = (agent: string) => `o.agent_id = ${agent}.id AND o.agent_id > 0`;

/**
 * SQL of the displayed name of a `source s`: its host, and where another sender has the same, its agent or address
 * (`gw1 (agent 12)`, `gw1 (192.0.2.1)`).
 */
export const SHOWN_NAME = `CASE
  WHEN s.agent_id = 0 AND EXISTS (SELECT 1 FROM agent a JOIN source o ON ${OF_AGENT('a')} WHERE a.hostname = s.name)
    THEN s.name || ' (' || s.address || ')'
  WHEN s.agent_id > 0 AND (EXISTS (SELECT 1 FROM source o WHERE o.name = ${HOST} AND o.agent_id = 0)
    OR EXISTS (SELECT 1 FROM agent a JOIN agent b ON b.hostname = a.hostname AND b.id <> a.id
      JOIN source o ON ${OF_AGENT('b')} WHERE a.id = s.agent_id))
    THEN ${HOST} || ' (agent ' || s.agent_id || ')'
  ELSE ${HOST} END`;

const FIND = statement('SELECT id FROM source WHERE node_type = ? AND node_id = ? AND name = ? AND agent_id = ?');
const INSERT = statement(
  `INSERT INTO source (node_type, node_id, name, address, agent_id, created_ms) VALUES (?, ?, ?, ?, ?, ?)
   ON CONFLICT (node_type, node_id, name, agent_id) DO NOTHING`,
);

const keyOf = ({ nodeType, nodeId, agentId = 0, name }: Sender) => `${nodeType},${nodeId},${agentId},${name}`;

/** Cache of source ids. */
export class SourceIds {
  readonly #remembered = new Map<string, number>();

  /**
   * Returns the ids of senders, inserting those that are new, inside a write. `found` is for {@link
   * SourceIds.remember} once the write is durable. `nowMs` is in Unix milliseconds.
   */
  async find(
    { sql }: SqlTx,
    senders: Iterable<Sender>,
    nowMs: number,
  ): Promise<{ ids: Map<Sender, number>; found: (readonly [Sender, number])[] }> {
    const ids = new Map<Sender, number>();
    const found: (readonly [Sender, number])[] = [];
    for (const sender of senders) {
      const known = this.#remembered.get(keyOf(sender));
      if (known !== undefined) {
        ids.set(sender, known);
        continue;
      }
      const { nodeType, nodeId, name, address, agentId = 0 } = sender;
      await sql.run(INSERT, nodeType, nodeId, name, address, agentId, nowMs);
      const row = await sql.get<{ id: number }>(FIND, nodeType, nodeId, name, agentId);
      if (row === undefined) throw new Error('a source vanished');
      ids.set(sender, row.id);
      found.push([sender, row.id]);
    }
    return { ids, found };
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

/** Returns a page of sources, newest first. `q` is a part of the name or address, `agent_id` the agent. */
export async function listSources(
  { dialect, read: { sql } }: Database,
  { q, agent_id: agentId }: { readonly q?: string | undefined; readonly agent_id?: number | undefined },
  slice: Slice,
): Promise<Page<ErrlogSource>> {
  const where = new Where();
  if (q !== undefined) {
    const pattern = likePattern(q);
    where.and(`(${likeText(dialect, HOST)} OR ${likeText(dialect, 's.address')})`, pattern, pattern);
  }
  where.andIf('s.agent_id = ?', agentId);
  const { text: condition, values } = where;
  const count = await sql.get<{ n: number }>(cached(`SELECT count(*) AS n FROM source s${condition}`), ...values);
  const text = `SELECT s.id, s.node_type, s.node_id, ${SHOWN_NAME} AS name, s.address, s.agent_id, s.created_ms / 1000 AS created,
      (SELECT CAST(coalesce(sum(t.n), 0) AS bigint) FROM errlog_total t WHERE t.src = s.id) AS groups
    FROM source s${condition} ORDER BY s.id DESC LIMIT ? OFFSET ?`;
  const rows = await sql.all<ErrlogSource & { node_id: number }>(cached(text), ...values, slice.limit, slice.offset);
  return {
    data: rows.map((row) => ({ ...row, node_id: toNodeId(row.node_id) })),
    meta: { count: count?.n ?? 0 },
  };
}
