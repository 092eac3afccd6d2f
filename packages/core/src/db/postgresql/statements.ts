// Prepared statements on PostgreSQL, by name: the server parses each once per connection and may keep its plan.
import type pg from 'pg';
import type { Ran, Sql, SqlValue, Statement } from '../database.ts';
import { fromDriver } from '../database-error.ts';
import type { StatementTimes } from '../statement-times.ts';

const names = new WeakMap<Statement, string>();
let count = 0;

/** Name of a statement, the same on every connection of this process. */
export function nameOf(statement: Statement): string {
  let name = names.get(statement);
  if (name === undefined) {
    count += 1;
    name = `quarterdeck_${count}`;
    names.set(statement, name);
  }
  return name;
}

/** Name under which a connection prepares a statement; undefined if it is planned each time. */
export const preparedName = (statement: Statement): string | undefined =>
  statement.plannedEachTime ? undefined : nameOf(statement);

/** Result of a statement, as far as callers see it. */
export type Result = Pick<pg.QueryResult, 'rows' | 'rowCount'>;

/** The three forms of a statement, over one query. */
export abstract class PostgresQueries implements Sql {
  /** Runs a statement. Rejects with translated errors of the driver. */
  protected abstract query(statement: Statement, values: SqlValue[]): Promise<Result>;

  async all<R>(statement: Statement, ...params: SqlValue[]): Promise<R[]> {
    const { rows } = await this.query(statement, params);
    return rows as R[];
  }

  async get<R>(statement: Statement, ...params: SqlValue[]): Promise<R | undefined> {
    const { rows } = await this.query(statement, params);
    return rows[0] as R | undefined;
  }

  async run(statement: Statement, ...params: SqlValue[]): Promise<Ran> {
    const { rowCount } = await this.query(statement, params);
    return { changes: rowCount ?? 0 };
  }
}

/** Statements on the connection of a write or of a snapshot. `around` runs each and may refuse it. */
export class PostgresSql extends PostgresQueries {
  readonly #target: Pick<pg.ClientBase, 'query'>;
  readonly #times: StatementTimes | undefined;
  readonly #around: <T>(run: () => Promise<T>) => Promise<T>;

  /** `times` counts statements. */
  constructor(
    target: Pick<pg.ClientBase, 'query'>,
    times?: StatementTimes,
    around: <T>(run: () => Promise<T>) => Promise<T> = (run) => run(),
  ) {
    super();
    this.#target = target;
    this.#times = times;
    this.#around = around;
  }

  protected query(statement: Statement, values: SqlValue[]): Promise<Result> {
    return this.#around(async () => {
      const startMs = performance.now();
      try {
        const name = preparedName(statement);
        return await this.#target.query({ ...(name && { name }), text: statement.postgresql, values });
      } catch (error) {
        throw fromDriver(error);
      } finally {
        this.#times?.add(this.#times.familyOf(statement), startMs);
      }
    });
  }
}
