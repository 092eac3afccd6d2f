// Reads on PostgreSQL. Those that begin in one iteration of the event loop are sent at its end: equal ones run once,
// and short ones share a connection and a packet.
import type pg from 'pg';
import type { SqlValue, Statement } from '../database.ts';
import { fromDriver } from '../database-error.ts';
import type { StatementTimes } from '../statement-times.ts';
import { nameOf, PostgresQueries, preparedName, type Result } from './statements.ts';

/** Short statements that one connection gets at once. The last one waits for all others. */
const TOGETHER_MAX = 16;

interface Caller {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** A statement with its values, and everybody who asked for it in the same iteration. */
interface Read {
  readonly statement: Statement;
  readonly values: SqlValue[];
  readonly callers: Caller[];
}

/** Statements on a pool. Each runs after it was called, so it sees every write that was answered before. */
export class PostgresReads extends PostgresQueries {
  readonly #pool: Pick<pg.Pool, 'connect'>;
  readonly #times: StatementTimes;
  #waiting = new Map<string, Read>();

  /** `times` counts each call, with the time for which it waits for a connection. */
  constructor(pool: Pick<pg.Pool, 'connect'>, times: StatementTimes) {
    super();
    this.#pool = pool;
    this.#times = times;
  }

  protected async query(statement: Statement, values: SqlValue[]): Promise<Result> {
    const startMs = performance.now();
    try {
      return await new Promise<Result>((resolve, reject) => this.#ask(statement, values, { resolve, reject }));
    } finally {
      this.#times.add(this.#times.familyOf(statement), startMs);
    }
  }

  #ask(statement: Statement, values: SqlValue[], caller: Caller): void {
    if (this.#waiting.size === 0) setImmediate(() => this.#send());
    const key = keyOf(statement, values);
    const same = this.#waiting.get(key);
    if (same === undefined) this.#waiting.set(key, { statement, values, callers: [caller] });
    else same.callers.push(caller);
  }

  /** Sends the reads of an iteration: short ones together, each other one on a connection of its own. */
  #send(): void {
    const reads = [...this.#waiting.values()];
    this.#waiting = new Map();
    const short = reads.filter(({ statement }) => statement.isShort === true);
    for (const read of reads) if (read.statement.isShort !== true) this.#connect([read]);
    for (let at = 0; at < short.length; at += TOGETHER_MAX) this.#connect(short.slice(at, at + TOGETHER_MAX));
  }

  #connect(reads: readonly Read[]): void {
    this.#pool.connect((error, client) => {
      if (error === undefined && client !== undefined) runOn(client, reads);
      else for (const read of reads) refuse(read, error);
    });
  }
}

/** Runs reads on a connection of the pool and gives it back. */
function runOn(client: pg.PoolClient, reads: readonly Read[]): void {
  let left = reads.length;
  let failure: Error | undefined;
  for (const read of reads) {
    const { statement, values } = read;
    client.query(
      { name: preparedName(statement), text: statement.postgresql, values },
      (error: Error | null, result) => {
        left -= 1;
        failure ??= error ?? undefined;
        // Before the answers: the callers may read again.
        if (left === 0) client.release(failure);
        if (error) refuse(read, error);
        else answer(read, result);
      },
    );
  }
}

function refuse({ callers }: Read, cause: unknown): void {
  const error = fromDriver(cause);
  for (const { reject } of callers) reject(error);
}

/** Gives every caller rows of its own: some callers change them. */
function answer({ callers }: Read, { rows, rowCount }: Result): void {
  for (const [at, { resolve }] of callers.entries()) {
    resolve({ rowCount, rows: at === 0 ? rows : rows.map((row: object) => ({ ...row })) });
  }
}

/** A text that differs for reads that differ. */
function keyOf(statement: Statement, values: readonly SqlValue[]): string {
  let key = nameOf(statement);
  for (const value of values) {
    if (typeof value === 'string') key += `,s${value.length}:${value}`;
    else if (value instanceof Uint8Array) key += `,b${Buffer.from(value).toString('base64')}`;
    else key += `,${value}`;
  }
  return key;
}
