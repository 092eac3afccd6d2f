// Searches of the table of lines.

import { type Sql, statement } from '../../packages/core/src/db/open/index.ts';
import type { ErrlogOccurrence } from '../../packages/core/src/domain/errlog.ts';
import { canonicalFieldName, fieldOfLine, LEVEL_NAMES, termsOf } from '../../packages/core/src/filter/index.ts';
import { answerRead, type LineRead, type LineSearches } from '../../packages/store/src/lines/answer-read.ts';
import { filterOf } from '../../packages/store/src/lines/line-plan.ts';
import type { Line, LineQuery, LineValues, MatchedGroup } from '../../packages/store/src/lines/line-reads.ts';
import { isByTime, isReverse } from '../../packages/store/src/lines/order.ts';
import type { LineAnswer } from '../../packages/store/src/lines/read-lines.ts';
import type { LineReader } from '../../packages/store/src/lines/search-queue.ts';
import { type MovedGroups, readMoved } from '../../packages/store/src/tables/moved-groups.ts';
import { quote } from './chdb.ts';
import { conditionOf, fieldOf } from './condition.ts';
import type { LineRow, LineTable } from './line-table.ts';

const STATES = statement('SELECT id, state FROM errlog');
const LEVELS = `[${LEVEL_NAMES.map(quote).join()}]`;

/** Reads the table: one thing at a time. */
export class TableReader implements LineReader {
  readonly #table: LineTable;
  readonly #sql: Sql;
  #running: Promise<LineAnswer> | undefined;

  constructor(table: LineTable, sql: Sql) {
    this.#table = table;
    this.#sql = sql;
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  async read(read: LineRead, nowS: number): Promise<LineAnswer> {
    this.#running = this.#answer(read, nowS);
    try {
      return await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  /** A statement goes on to its end. */
  cancel(): void {}

  async end(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  async #answer(read: LineRead, nowS: number): Promise<LineAnswer> {
    await this.#table.copy();
    const searches = new TableSearches(this.#table, this.#sql, nowS, await readMoved(this.#sql));
    return { value: await answerRead(searches, read), damaged: [] };
  }
}

class TableSearches implements LineSearches {
  readonly #table: LineTable;
  readonly #sql: Sql;
  readonly #nowS: number;
  readonly #moved: MovedGroups;

  constructor(table: LineTable, sql: Sql, nowS: number, moved: MovedGroups) {
    this.#table = table;
    this.#sql = sql;
    this.#nowS = nowS;
    this.#moved = moved;
  }

  first: LineSearches['first'] = async (query, { order, bound, arrived }, limit) => {
    const sign = isReverse(order) ? '<' : '>';
    const direction = isReverse(order) ? 'DESC' : 'ASC';
    const conditions = [
      ...(bound === undefined
        ? []
        : [`time ${sign}= ${bound.time} AND (time, id) ${sign} (${bound.time}, ${bound.id})`]),
      ...(arrived === undefined ? [] : [`id ${sign} ${arrived}`]),
    ];
    const by = isByTime(order) ? `time ${direction}, id ${direction}` : `id ${direction}`;
    const lines = await this.#lines(query, conditions, `ORDER BY ${by} LIMIT ${limit + 1}`);
    const scanned = await this.#number(`SELECT count() AS n FROM ${this.#table.name}`);
    return { lines: lines.slice(0, limit), hasMore: lines.length > limit, stoppedAt: undefined, scanned };
  };

  values: LineSearches['values'] = async (query, field, top) => {
    const name = canonicalFieldName(field);
    const states = name === 'state' ? await this.#states() : undefined;
    const value = states === undefined ? countedValue(name) : stateOf(states);
    const rows = await this.#select<{ value: string; n: number; all: number; distinct: number }>(
      `SELECT value, n, sum(n) OVER () AS all, count() OVER () AS distinct
       FROM (SELECT ${value} AS value, sum(count) AS n FROM ${await this.#matching(query)} GROUP BY value)
       WHERE value != '' ORDER BY n DESC, value LIMIT ${top}`,
    );
    const { all = 0, distinct = 0 } = rows[0] ?? {};
    const values: LineValues['values'] = rows.map(({ value: found, n }) => ({ value: found, count: n }));
    return { values, other: values.reduce((rest, { count }) => rest - count, all), distinct, complete: true };
  };

  histogram: LineSearches['histogram'] = async (query, { start, end, step }) => {
    const buckets = Array.from({ length: Math.max(0, Math.ceil((end - start) / step)) }, (_, i) => ({
      time: start + i * step,
      count: 0,
      levels: LEVEL_NAMES.map(() => 0),
    }));
    const rows = await this.#select<{ at: number; level: number; n: number }>(
      `SELECT intDiv(time - ${start}, ${step}) AS at, level, sum(count) AS n FROM ${await this.#matching(query)}
       GROUP BY at, level`,
    );
    for (const { at, level, n } of rows) {
      const bucket = buckets[at];
      if (bucket === undefined) continue;
      bucket.count += n;
      bucket.levels[level] = n;
    }
    return { start, end, step, buckets, complete: true };
  };

  groups: LineSearches['groups'] = async (query, max) => {
    const rows = await this.#select<MatchedGroup>(
      `SELECT group AS id, n AS count, last FROM
         (SELECT group, sum(count) AS n, max(time) AS last FROM ${await this.#matching(query)} GROUP BY group)
       ORDER BY last DESC, group DESC LIMIT ${max + 1}`,
    );
    return { groups: rows.slice(0, max), complete: rows.length <= max };
  };

  groupIds: LineSearches['groupIds'] = async (query, max) => {
    const rows = await this.#select<{ group: number }>(
      `SELECT DISTINCT group FROM ${await this.#matching(query)} LIMIT ${max + 1}`,
    );
    return { ids: rows.slice(0, max).map(({ group }) => group), complete: rows.length <= max };
  };

  newestOf: LineSearches['newestOf'] = async (query) => {
    const lines = await this.#lines(query, [], 'ORDER BY time DESC, id DESC LIMIT 1 BY group');
    return new Map(lines.map((line) => [line.group, line]));
  };

  occurrences: LineSearches['occurrences'] = async (group, { offset, limit }) => {
    const query = { groups: [group] };
    const count = await this.#number(`SELECT count() AS n FROM ${await this.#matching(query)}`);
    const lines = await this.#lines(query, [], `ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`);
    const data = lines.map(
      ({ time, count: times, req_id, app_id, log, fields }): ErrlogOccurrence => ({
        ...{ time, count: times, req_id, app_id, log, fields },
      }),
    );
    return { data, meta: { count } };
  };

  lastId: LineSearches['lastId'] = () => this.#number(`SELECT max(id) AS n FROM ${this.#table.name}`);

  #select<Row>(sql: string): Promise<Row[]> {
    return this.#table.clickHouse.select<Row>(sql);
  }

  async #number(sql: string): Promise<number> {
    return (await this.#select<{ n: number }>(sql))[0]?.n ?? 0;
  }

  async #lines(query: LineQuery, conditions: readonly string[], rest: string): Promise<Line[]> {
    const rows = await this.#select<LineRow>(`SELECT * FROM ${await this.#matching(query, conditions)} ${rest}`);
    return rows.map(({ id, host, app: app_id, req: req_id, node_type: _, node_id: __, ...line }) => ({
      ...line,
      id: String(id),
      source: host,
      host,
      app_id,
      req_id,
    }));
  }

  /** The table and the condition of a query. Rows of merged groups have the id of the present one. */
  async #matching(query: LineQuery, more: readonly string[] = []): Promise<string> {
    const filter = filterOf(query, this.#moved);
    const { nodeType, nodeId, reqId } = query;
    const hasState = termsOf(filter).some((term) => term.kind === 'field' && term.field === 'state');
    const states = hasState ? await this.#states() : new Map<string, number[]>();
    const conditions = [
      conditionOf(filter, { nowS: this.#nowS, states }),
      ...(nodeType === undefined ? [] : [`node_type = ${nodeType}`]),
      ...(nodeId === undefined ? [] : [`node_id = ${nodeId}`]),
      ...(reqId === undefined ? [] : [`req = ${quote(reqId)}`]),
      ...more,
    ];
    return `${this.#rows()} WHERE ${conditions.join(' AND ')}`;
  }

  #rows(): string {
    const { name } = this.#table;
    if (this.#moved.size === 0) return name;
    const [from, to] = [[...this.#moved.keys()], [...this.#moved.values()]];
    return `(SELECT * REPLACE (transform(group, [${from}], [${to}], group) AS group) FROM ${name})`;
  }

  async #states(): Promise<ReadonlyMap<string, readonly number[]>> {
    const rows = await this.#sql.all<{ id: number; state: string }>(STATES);
    const byState = Map.groupBy(rows, ({ state }) => state);
    return new Map([...byState].map(([state, groups]) => [state, groups.map(({ id }) => id)]));
  }
}

/** The value of a field that is counted; `''` where a line has none. */
function countedValue(name: string): string {
  const own = fieldOfLine(name);
  if (own !== undefined) return fieldOf(own);
  switch (name) {
    case 'level':
      return `${LEVELS}[level + 1]`;
    case 'app':
      return "if(app = 0, '', toString(app))";
    case 'src':
    case 'group':
      return `toString(${name})`;
    case 'source':
      return 'host';
    default:
      return name;
  }
}

const stateOf = (states: ReadonlyMap<string, readonly number[]>): string =>
  `multiIf(${[...states].flatMap(([state, ids]) => [`group IN (${ids})`, quote(state)]).join()}${states.size > 0 ? ',' : ''} '')`;
