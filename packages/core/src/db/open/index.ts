// The database, for the server alone. Errors mean the same on SQLite and PostgreSQL.

export { type DatabaseContents, type DatabaseCopy, foreignText } from '../contents.ts';
export type {
  Database,
  DatabaseQueue,
  Dialect,
  DiskSpace,
  Prisma,
  Ran,
  Sql,
  SqlTx,
  SqlValue,
  Statement,
  StatementOptions,
  SyncSql,
  ThreadOptions,
  Tx,
  WriteOptions,
  WritingThread,
} from '../database.ts';
export { statement } from '../database.ts';
export type { DatabaseErrorKind } from '../database-error.ts';
export { DatabaseError, isUniqueViolation, toDatabaseError } from '../database-error.ts';
export { Durations } from '../durations.ts';
export type { Failure } from '../failure.ts';
export { fromFailure, toFailure } from '../failure.ts';
export {
  FILTER_PIECE_BYTES,
  FILTER_ROW_KEY,
  FILTER_ROW_KEYS,
  FILTER_ROW_PIECES,
  INSERT_FILTER_ROW,
  toFilterRows,
} from '../filter-rows.ts';
export type {
  Agent,
  ApiToken,
  Audit,
  DeviceCode,
  Enrollment,
  Errlog,
  ErrlogSegment,
  Event,
  Identity,
  KernelRule,
  Operation,
  Outage,
  Prisma as PrismaTypes,
  Session,
  SharedLink,
  Source,
  SsoSession,
  Throttle,
  User,
  Webhook,
  WebhookDelivery,
} from '../generated/sqlite/client.ts';
export { type Moved, type MoveOptions, type MoveProgress, type MoveStep, moveDatabase } from '../move/move-database.ts';
export type { MovePlace } from '../move/place.ts';
export { checkDump, checkEmptyPostgres, restoreDump } from '../postgresql/dump.ts';
export { copySqlite, digestOf } from '../sqlite/backup.ts';
export { type Compacted, compactSqlite } from '../sqlite/compact.ts';
export { type CheckedFile, checkSqliteFile, foreignInSqlite } from '../sqlite/contents.ts';
export { lockDirectory, type ProcessLock } from '../sqlite/process-lock.ts';
export type { ThreadWrites } from '../sqlite/serve-writes.ts';
export { serveWrites } from '../sqlite/serve-writes.ts';
export type { OnStatement, StatementFamily } from '../statement-times.ts';
export type { ReaderSettings, ThreadReader } from '../thread-reader.ts';
export { type CopySource, copyDatabase, copyDatabaseOnThread } from './copy-database.ts';
export type { DatabaseOptions } from './open-database.ts';
export { openDatabase } from './open-database.ts';
export { openThreadReader } from './open-thread-reader.ts';
