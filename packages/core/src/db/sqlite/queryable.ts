// Prisma's driver interface over an open better-sqlite3 connection. The official adapter opens its own; sharing one
// lets prepared statements and Prisma take part in the same transaction.
import type { ArgType, ColumnType, SqlQuery, SqlQueryable, SqlResultSet } from '@prisma/driver-adapter-utils';
import { ColumnTypeEnum, DriverAdapterError } from '@prisma/driver-adapter-utils';
import type { Database as Connection, Statement } from 'better-sqlite3';
import { DatabaseError, fromDriver } from '../database-error.ts';
import { toInteger } from './statements.ts';

/** Bound of the cache: Prisma's SQL varies with the shape of its arguments. */
const cachedStatements = 500;

interface Prepared {
  readonly statement: Statement;
  readonly names: string[];
  readonly declared: (ColumnType | undefined)[];
}

export class SqliteQueryable implements SqlQueryable {
  readonly provider = 'sqlite';
  readonly adapterName = 'quarterdeck-sqlite';
  readonly #connection: Connection;
  readonly #check: (connection: Connection) => void;
  readonly #prepared = new Map<string, Prepared>();

  /** `check` is called before each statement and may refuse it by throwing. */
  constructor(connection: Connection, check: (connection: Connection) => void = () => {}) {
    this.#connection = connection;
    this.#check = check;
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    try {
      this.#check(this.#connection);
      const { statement, names, declared } = this.#prepare(query.sql);
      const args = query.args.map((arg, index) => toSqlite(arg, query.argTypes[index]));
      if (!statement.reader) {
        statement.run(...args);
        return { columnNames: [], columnTypes: [], rows: [] };
      }
      const rows = statement.all(...args) as unknown[][];
      const columnTypes = declared.map((type, column) => type ?? inferColumnType(rows, column));
      for (const row of rows) for (let i = 0; i < row.length; i += 1) row[i] = toPrisma(row[i], columnTypes[i]);
      return { columnNames: names, columnTypes, rows };
    } catch (error) {
      throw toAdapterError(error);
    }
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    try {
      this.#check(this.#connection);
      const args = query.args.map((arg, index) => toSqlite(arg, query.argTypes[index]));
      const { statement } = this.#prepare(query.sql);
      return statement.reader ? statement.all(...args).length : statement.run(...args).changes;
    } catch (error) {
      throw toAdapterError(error);
    }
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql).safeIntegers(true);
    const columns = statement.reader ? statement.raw().columns() : [];
    const prepared = {
      statement,
      names: columns.map(({ name }) => name),
      declared: columns.map(({ type }) => declaredTypes[type?.toUpperCase() ?? '']),
    };
    if (this.#prepared.size >= cachedStatements) this.#prepared.clear();
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

// Types of columns in our migrations and in the tables of the migration engine.
const declaredTypes: Record<string, ColumnType> = {
  INTEGER: ColumnTypeEnum.Int64,
  BIGINT: ColumnTypeEnum.Int64,
  REAL: ColumnTypeEnum.Double,
  TEXT: ColumnTypeEnum.Text,
  BLOB: ColumnTypeEnum.Bytes,
  BOOLEAN: ColumnTypeEnum.Boolean,
  DATETIME: ColumnTypeEnum.DateTime,
};

function inferColumnType(rows: readonly unknown[][], column: number): ColumnType {
  for (const row of rows) {
    const value = row[column];
    if (value === null || value === undefined) continue;
    if (typeof value === 'bigint') return ColumnTypeEnum.Int64;
    if (typeof value === 'number') return ColumnTypeEnum.UnknownNumber;
    return typeof value === 'string' ? ColumnTypeEnum.Text : ColumnTypeEnum.Bytes;
  }
  return ColumnTypeEnum.Int32;
}

function toPrisma(value: unknown, type: ColumnType | undefined): unknown {
  if (type === ColumnTypeEnum.DateTime && typeof value === 'bigint') return new Date(Number(value)).toISOString();
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function toSqlite(arg: unknown, type: ArgType | undefined): unknown {
  if (typeof arg === 'boolean') return arg ? 1 : 0;
  if (arg instanceof Date) return arg.toISOString().replace('Z', '+00:00');
  if (typeof arg === 'number') return toInteger(arg);
  if (typeof arg !== 'string') return arg;
  switch (type?.scalarType) {
    case 'int':
    case 'bigint':
      return BigInt(arg);
    case 'float':
    case 'decimal':
      return Number.parseFloat(arg);
    case 'datetime':
      return new Date(arg).toISOString().replace('Z', '+00:00');
    case 'bytes':
      return Buffer.from(arg, 'base64');
    default:
      return arg;
  }
}

/** Converts an error of the driver to the form that Prisma expects. */
function toAdapterError(thrown: unknown): unknown {
  const error = fromDriver(thrown);
  if (error instanceof DatabaseError || !(error instanceof Error) || !('code' in error)) return error;
  const original = { originalCode: String(error.code), originalMessage: error.message };
  const columns = error.message.split('constraint failed: ').at(1)?.split(', ') ?? [];
  const constraint = { fields: columns.map((column) => column.split('.').at(-1) ?? column) };
  switch (error.code) {
    case 'SQLITE_CONSTRAINT_UNIQUE':
    case 'SQLITE_CONSTRAINT_PRIMARYKEY': {
      const table = columns[0]?.split('.').at(0);
      return new DriverAdapterError({
        ...original,
        kind: 'UniqueConstraintViolation',
        constraint,
        ...(table === undefined ? {} : { table }),
      });
    }
    case 'SQLITE_CONSTRAINT_NOTNULL':
      return new DriverAdapterError({ ...original, kind: 'NullConstraintViolation', constraint });
    case 'SQLITE_CONSTRAINT_FOREIGNKEY':
    case 'SQLITE_CONSTRAINT_TRIGGER':
      return new DriverAdapterError({
        ...original,
        kind: 'ForeignKeyConstraintViolation',
        constraint: { foreignKey: {} },
      });
    default:
      // The migration engine expects this error where its table does not exist yet.
      if (error.message.startsWith('no such table: ')) {
        return new DriverAdapterError({ ...original, kind: 'TableDoesNotExist', table: error.message.slice(15) });
      }
      return new DriverAdapterError({ ...original, kind: 'sqlite', extendedCode: 1, message: error.message });
  }
}
