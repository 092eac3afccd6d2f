// Counts the time of statements by family: what a statement does, and the first table that it names.
import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Statement } from './database.ts';
import { Durations } from './durations.ts';

/** Bounds in seconds: most statements take microseconds on SQLite and a millisecond on PostgreSQL. */
const STATEMENT_BOUNDS = [0.0001, 0.001, 0.01, 0.1, 1] as const;
const WRITE_BOUNDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5] as const;
/** Prisma's SQL varies with the shape of its arguments. */
const KNOWN_TEXTS = 1_000;

/** Statements that do the same to the same table. */
export interface StatementFamily {
  readonly operation: 'select' | 'insert' | 'update' | 'delete' | 'other';
  /** A table of ours, or `other`. */
  readonly table: string;
  readonly durations: Durations;
}

/** Receives each statement, with times of `performance.now`. */
export type OnStatement = (family: StatementFamily, startMs: number, endMs: number) => void;

/** Times of the statements and the writes of one database, without those of its threads. */
export class StatementTimes {
  /** Durations of writes from the call to the commit, small ones and those that can wait. */
  readonly writes = { small: new Durations(WRITE_BOUNDS), bulk: new Durations(WRITE_BOUNDS) };
  /** Set while somebody traces. */
  onStatement: OnStatement | undefined;
  readonly #tables: ReadonlySet<string>;
  readonly #families = new Map<string, StatementFamily>();
  readonly #ofStatement = new WeakMap<Statement, StatementFamily>();
  readonly #ofText = new Map<string, StatementFamily>();

  /** `models` are the names of Prisma's models, whose tables have the same names in snake case. */
  constructor(models: readonly string[]) {
    this.#tables = new Set(
      models.map((model) => model.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()),
    );
  }

  /** Every family that has run. */
  families(): Iterable<StatementFamily> {
    return this.#families.values();
  }

  /** Returns the family of a prepared statement. */
  familyOf(statement: Statement): StatementFamily {
    let family = this.#ofStatement.get(statement);
    if (family === undefined) {
      family = this.#classify(statement.sqlite);
      this.#ofStatement.set(statement, family);
    }
    return family;
  }

  /** Counts a statement that has just ended. */
  add(family: StatementFamily, startMs: number): void {
    const endMs = performance.now();
    family.durations.add(endMs - startMs);
    this.onStatement?.(family, startMs, endMs);
  }

  /** Counts a write: resolves or rejects as it does. */
  async write<T>(writing: Promise<T>, { bulk = false }: { readonly bulk?: boolean } = {}): Promise<T> {
    const startMs = performance.now();
    try {
      return await writing;
    } finally {
      this.writes[bulk ? 'bulk' : 'small'].add(performance.now() - startMs);
    }
  }

  /** Returns a connection of Prisma whose statements are counted. */
  timed(connection: SqlQueryable): SqlQueryable {
    const measure = async <T>(sql: string, run: () => Promise<T>): Promise<T> => {
      const startMs = performance.now();
      try {
        return await run();
      } finally {
        this.add(this.#ofSql(sql), startMs);
      }
    };
    return {
      provider: connection.provider,
      adapterName: connection.adapterName,
      queryRaw: (query) => measure(query.sql, () => connection.queryRaw(query)),
      executeRaw: (query) => measure(query.sql, () => connection.executeRaw(query)),
    };
  }

  #ofSql(sql: string): StatementFamily {
    let family = this.#ofText.get(sql);
    if (family === undefined) {
      family = this.#classify(sql);
      if (this.#ofText.size >= KNOWN_TEXTS) this.#ofText.clear();
      this.#ofText.set(sql, family);
    }
    return family;
  }

  #classify(sql: string): StatementFamily {
    const operation = operationOf(sql);
    const named = Array.from(sql.matchAll(NAMED), ([, name = '']) => name.toLowerCase());
    const table = named.find((name) => this.#tables.has(name)) ?? 'other';
    const key = `${operation} ${table}`;
    const known = this.#families.get(key);
    if (known !== undefined) return known;
    const family = { operation, table, durations: new Durations(STATEMENT_BOUNDS) };
    this.#families.set(key, family);
    return family;
  }
}

/** A name where a table can be, without that of its schema. */
const NAMED = /\b(?:FROM|INTO|UPDATE|JOIN)\s+(?:["`]\w+["`]\.)?["`]?(\w+)/gi;
const OPERATIONS: ReadonlySet<string> = new Set(['select', 'insert', 'update', 'delete']);
const isOperation = (word: string): word is StatementFamily['operation'] => OPERATIONS.has(word);

/** The first word, or the write that a list of named queries ends in. */
function operationOf(sql: string): StatementFamily['operation'] {
  const [first = ''] = /\w+/.exec(sql.toLowerCase()) ?? [];
  if (isOperation(first)) return first;
  if (first !== 'with') return 'other';
  const [, word = 'select'] =
    /\b(insert|delete|update)\s+(?:into|from|(?!set\b|skip\b|of\b)["`\w]+\s+set)\b/i.exec(sql) ?? [];
  const written = word.toLowerCase();
  return isOperation(written) ? written : 'other';
}
