// Sources and states that queries name, read for the segments that are searched.
import { type Sql, statement } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import { HOST, NAME_BEHIND_AGENT } from '../tables/sources.ts';
import type { LineSource } from './line-plan.ts';

const SOURCES = statement(
  (dialect) => `SELECT s.id, s.node_type, s.node_id, ${HOST} AS host FROM source s WHERE ${inJson(dialect, 's.id')}`,
);
const NAMES = statement(
  (dialect) =>
    `SELECT s.id, n.from_line, n.name || ${NAME_BEHIND_AGENT} AS host
     FROM source s JOIN agent_name n ON n.agent_id = s.agent_id
     WHERE ${inJson(dialect, 's.id')} AND s.agent_id > 0 ORDER BY s.id, n.from_line`,
);
const STATES = statement((dialect) => `SELECT id, state FROM errlog WHERE ${inJson(dialect, 'id')}`);

/** A source with all names that it has had, the first one first. */
interface Known {
  readonly source: LineSource;
  readonly names: readonly { readonly from: number; readonly host: string }[];
}

const ONE_NAME: Known['names'] = [];

/** Reads each source once in a search. */
export class LineSources {
  readonly #sql: Sql;
  readonly #known = new Map<number, Known>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Reads the sources that are not known. */
  async load(ids: Iterable<number>): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => !this.#known.has(id));
    if (missing.length === 0) return;
    const json = JSON.stringify(missing);
    const rows = await this.#sql.all<{ id: number; node_type: number; node_id: number; host: string }>(SOURCES, json);
    const names = await this.#sql.all<{ id: number; from_line: number; host: string }>(NAMES, json);
    const byId = Map.groupBy(names, ({ id }) => id);
    for (const { id, node_type: nodeType, node_id: nodeId, host } of rows) {
      const own = byId.get(id) ?? [];
      const kept = own.length > 1 ? own.map((row) => ({ from: row.from_line, host: row.host })) : ONE_NAME;
      this.#known.set(id, { source: { nodeType, nodeId, host }, names: kept });
    }
  }

  /** A source with the name that it had at the line; without a line, with its present name. */
  get(id: number, line?: number): LineSource | undefined {
    const known = this.#known.get(id);
    if (known === undefined || line === undefined || known.names.length === 0) return known?.source;
    return { ...known.source, host: nameAt(known.names, line) };
  }

  /** A source with the name that it had at all lines from one to another; its host is undefined if it had several. */
  between(id: number, first: number, last: number): LineSource | undefined {
    const known = this.#known.get(id);
    if (known === undefined || known.names.length === 0) return known?.source;
    const hasSeveral = known.names.some(({ from }) => from > first && from <= last);
    return { ...known.source, host: hasSeveral ? undefined : nameAt(known.names, first) };
  }

  /** All names that a source has had. */
  namesOf(id: number): readonly string[] {
    const { source, names = ONE_NAME } = this.#known.get(id) ?? {};
    return names.length > 0 ? names.map(({ host }) => host) : [source?.host ?? ''];
  }
}

/** The name at a line; lines of before the first one have that. */
const nameAt = (names: Known['names'], line: number): string =>
  (names.findLast(({ from }) => from <= line) ?? names[0])?.host ?? '';

/** Reads the states of groups; a group that was removed is missing. */
export async function statesOf(sql: Sql, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await sql.all<{ id: number; state: string }>(STATES, JSON.stringify(ids));
  return new Map(rows.map(({ id, state }) => [id, state]));
}
