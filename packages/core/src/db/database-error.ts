// Faults of the database in one table, whether better-sqlite3, pg or Prisma around either of them reports them.

/**
 * - `busy`: another connection holds a lock, or writers kept colliding; try again.
 * - `full`: no space left.
 * - `unavailable`: no connection, or it was lost; the outcome of a commit in flight is unknown.
 * - `timeout`: a write or a statement took longer than it may.
 * - `locked`: another process owns the data directory.
 * - `missing`: there is no database, or an empty one, where there must be one.
 * - `damaged`, `foreign`, `newer`: the file is broken, belongs to another program, or to a later version.
 * - `migration`: a migration failed or was left half done.
 * - `unsafe`: the database would acknowledge a write before it is durable.
 * - `denied`: PostgreSQL refuses the user, the password or the database name.
 * - `io`: reading or writing the file failed.
 * - `closed`: this process has closed the database.
 */
export type DatabaseErrorKind =
  | 'busy'
  | 'full'
  | 'unavailable'
  | 'timeout'
  | 'locked'
  | 'missing'
  | 'damaged'
  | 'foreign'
  | 'newer'
  | 'migration'
  | 'unsafe'
  | 'denied'
  | 'io'
  | 'closed';

const messages: Record<DatabaseErrorKind, string> = {
  busy: 'The database is busy.',
  full: 'The database has no space left.',
  unavailable: 'The database cannot be reached.',
  timeout: 'The database took too long.',
  locked: 'Another process uses this database.',
  missing: 'The database is missing or empty.',
  damaged: 'The database is damaged.',
  foreign: 'The database belongs to another program.',
  newer: 'The database was made by a newer version.',
  migration: 'The database could not be migrated.',
  unsafe: 'The database is set up in a way that could lose data.',
  denied: 'The database refuses this user.',
  io: 'The database file cannot be read or written.',
  closed: 'The database is closed.',
};

/** The database is at fault, not the statement. The message is one plain line without secrets. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly kind: DatabaseErrorKind;
  /** The message says nothing beyond the kind. */
  readonly isGeneral: boolean;

  constructor(kind: DatabaseErrorKind, message?: string, options?: ErrorOptions) {
    super(message ?? messages[kind], options);
    this.kind = kind;
    this.isGeneral = message === undefined;
  }
}

const patterns: readonly (readonly [RegExp, DatabaseErrorKind])[] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'busy'],
  // On a full disk the wal-index is the first file that cannot grow, and it fails under this name.
  [/^SQLITE_(FULL|IOERR_SHMSIZE)/, 'full'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'damaged'],
  // Plain SQLITE_READONLY is a write on the reading connection: the statement's fault.
  [/^SQLITE_(IOERR|CANTOPEN|NOLFS|PROTOCOL|READONLY_)/, 'io'],
  [/^(40001|40P01|55P03|P2034|TransactionWriteConflict)$/, 'busy'],
  [/^53100$/, 'full'],
  [/^(57014|25P0[34])$/, 'timeout'],
  [/^(08...|53[023].?0|57P0[1-5]|P1001|P1002|P1008|P1017|P2024|P2037)$/, 'unavailable'],
  [/^(28...|3D000|P1000|P1003|P1010)$/, 'denied'],
  [/^XX00[12]$/, 'damaged'],
  [/^58...$/, 'io'],
];

// Codes and messages that mean the database only when its driver reports them: system errors, and errors of pg that
// have nothing but a message.
const socketCode =
  /^(E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOST(UNREACH|DOWN)|NET(UNREACH|DOWN)|NOENT)|DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections|TlsConnectionError)$/;
const socketMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (was closed|has encountered a connection error)|The server does not support SSL)/;

interface Layer {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly kind?: unknown;
  readonly extendedCode?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown } | null;
}

/** The error and the errors that it wraps: causes, Prisma's `meta`, and the attempts inside an AggregateError. */
function* layers(error: unknown, depth = 0): Generator<Layer> {
  if (typeof error !== 'object' || error === null || depth > 6) return;
  const layer: Layer = error;
  yield layer;
  if (Array.isArray(layer.errors)) for (const inner of layer.errors) yield* layers(inner, depth + 1);
  yield* layers(layer.meta?.driverAdapterError, depth + 1);
  yield* layers(layer.cause, depth + 1);
}

/** Every code of an error and its causes: SQLite's name, SQLSTATE, errno, Prisma's. */
export function* errorCodes(error: unknown): Generator<string> {
  for (const layer of layers(error)) {
    for (const code of [layer.originalCode, layer.code, layer.kind]) if (typeof code === 'string') yield code;
  }
}

/** Recognises a fault of the database in an error of a driver or of Prisma; undefined for any other error. */
export function toDatabaseError(error: unknown): DatabaseError | undefined {
  for (const layer of layers(error)) if (layer instanceof DatabaseError) return layer;
  for (const code of errorCodes(error)) {
    const kind = patterns.find(([pattern]) => pattern.test(code))?.[1];
    if (kind !== undefined) return new DatabaseError(kind, undefined, { cause: error });
  }
  return undefined;
}

/** Translates an error of a driver: a {@link DatabaseError} if the database is at fault, else the error itself. */
export function fromDriver(error: unknown): unknown {
  const known = toDatabaseError(error);
  if (known !== undefined) return known;
  for (const code of errorCodes(error)) {
    if (socketCode.test(code)) return new DatabaseError('unavailable', undefined, { cause: error });
  }
  for (const { message } of layers(error)) {
    if (typeof message !== 'string') continue;
    if (socketMessage.test(message)) return new DatabaseError('unavailable', undefined, { cause: error });
    if (/^Cannot use a pool|database connection is not open/.test(message)) {
      return new DatabaseError('closed', undefined, { cause: error });
    }
  }
  return error;
}

const uniqueViolation = /^(SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)|23505|P2002|UniqueConstraintViolation)$/;

/** True for an insert or update whose key another row has. */
export function isUniqueViolation(error: unknown): boolean {
  for (const code of errorCodes(error)) if (uniqueViolation.test(code)) return true;
  return false;
}
