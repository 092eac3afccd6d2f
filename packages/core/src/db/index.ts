// The database, for the server alone. Errors mean the same on SQLite and PostgreSQL.
export type {
  Database,
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
} from './database.ts';
export { statement } from './database.ts';
export type { DatabaseErrorKind } from './database-error.ts';
export { DatabaseError, isUniqueViolation, toDatabaseError } from './database-error.ts';
export type { Failure } from './failure.ts';
export { fromFailure, toFailure } from './failure.ts';
export type {
  Agent,
  ApiToken,
  Audit,
  Enrollment,
  Errlog,
  ErrlogChunk,
  ErrlogSegment,
  Event,
  KernelRule,
  Operation,
  Outage,
  Prisma as PrismaTypes,
  Session,
  Source,
  Throttle,
  User,
} from './generated/sqlite/client.ts';
export type { DatabaseOptions } from './open-database.ts';
export { openDatabase } from './open-database.ts';
export { backupSqlite } from './sqlite/backup.ts';
export { type Compacted, compactSqlite } from './sqlite/compact.ts';
export type { ThreadWrites } from './sqlite/serve-writes.ts';
export { serveWrites } from './sqlite/serve-writes.ts';
export type { ReaderSettings, ThreadReader } from './thread-reader.ts';
export { openThreadReader } from './thread-reader.ts';
