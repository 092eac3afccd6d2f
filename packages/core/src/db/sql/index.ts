// Parts of queries for both databases, settings, leases and locks, as "@quarterdeck/core/sql".
export { among, inJson, inJsonTexts } from './among.ts';
export { numberArray, textArray } from './arrays.ts';
export { cached } from './cached.ts';
export { type Columns, columnOf, selected } from './columns.ts';
export { CommitCache } from './commit-cache.ts';
export { addErasure, countErasures, holdErasures } from './erasures.repo.ts';
export { gatherReads } from './gathered-reads.ts';
export { createLease, type Lease } from './lease.ts';
export { likePattern, likePrefix, likeText, lowerText } from './like.ts';
export { exclusiveLock, sharedLock, tryExclusiveLock } from './locks.ts';
export { onPostgres, onSqlite } from './one-database.ts';
export { initSetting, readSetting, readSettings, removeSettings, storeSetting } from './setting.repo.ts';
export { Where } from './where.ts';
