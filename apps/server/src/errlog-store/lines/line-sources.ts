// Sources and states that queries name, read for the segments that are searched.
import { type Sql, statement } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { HOST, SHOWN_NAME } from '../tables/sources.ts';
import type { LineSource } from './line-plan.ts';

const SOURCES = statement(
  (dialect) =>
    `SELECT s.id, s.node_type, s.node_id, ${SHOWN_NAME} AS name, ${HOST} AS host
    FROM source s WHERE ${inJson(dialect, 's.id')}`,
);
const STATES = statement((dialect) => `SELECT id, state FROM errlog WHERE ${inJson(dialect, 'id')}`);

/** Reads each source once in a search. */
export class LineSources {
  readonly #sql: Sql;
  readonly #known = new Map<number, LineSource>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Reads the sources that are not known. */
  async load(ids: Iterable<number>): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => !this.#known.has(id));
    if (missing.length === 0) return;
    const rows = await this.#sql.all<{ id: number; node_type: number; node_id: number; name: string; host: string }>(
      SOURCES,
      JSON.stringify(missing),
    );
    for (const { id, node_type: nodeType, node_id: nodeId, name, host } of rows) {
      this.#known.set(id, { nodeType, nodeId, name, host });
    }
  }

  get(id: number): LineSource | undefined {
    return this.#known.get(id);
  }
}

/** Reads the states of groups; a group that was removed is missing. */
export async function statesOf(sql: Sql, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await sql.all<{ id: number; state: string }>(STATES, JSON.stringify(ids));
  return new Map(rows.map(({ id, state }) => [id, state]));
}
