// ClickHouse in this process: the part of the package chdb that the example uses.
import { createRequire } from 'node:module';

interface Session {
  queryAsync(sql: string, options: { readonly format: string }): Promise<{ text(): string }>;
  insert(rows: {
    readonly table: string;
    readonly values: Buffer;
    readonly format: 'JSONEachRow';
    readonly settings: Readonly<Record<string, number>>;
  }): Promise<unknown>;
}

const OPTIONS = [
  '--output_format_json_quote_64bit_integers=0',
  // A filter may name 100,000 groups.
  '--max_query_size=100000000',
  // The server, its threads and this share the machine.
  '--max_threads=2',
];
/** All rows of an insert are one block, which is stored whole or not at all. */
const ONE_BLOCK = { input_format_parallel_parsing: 0, max_insert_block_size: 1_000_000 };

let session: Session | undefined;

/** Opens ClickHouse on a folder. A process has one. */
export function openClickHouse(folder: string): ClickHouse {
  const { Session } = createRequire(import.meta.url)('chdb') as { Session: new (...args: unknown[]) => Session };
  session ??= new Session(folder, { connectionArgs: OPTIONS });
  return new ClickHouse(session);
}

/** Runs statements and inserts rows. */
export class ClickHouse {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async run(sql: string): Promise<void> {
    await this.#session.queryAsync(sql, { format: 'Null' });
  }

  async select<Row>(sql: string): Promise<Row[]> {
    const text = (await this.#session.queryAsync(sql, { format: 'JSONEachRow' })).text();
    return text.split('\n').flatMap((row) => (row === '' ? [] : (JSON.parse(row) as Row)));
  }

  /** Inserts rows that are lines of JSON, all or none. */
  async insert(table: string, rows: readonly Buffer[]): Promise<void> {
    await this.#session.insert({ table, values: Buffer.concat(rows), format: 'JSONEachRow', settings: ONE_BLOCK });
  }
}

/** A text in SQL. */
export const quote = (text: string): string =>
  `'${text.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll('\0', String.raw`\0`)}'`;
