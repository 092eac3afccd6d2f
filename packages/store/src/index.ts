// The store of error logs: everything that is used from outside of this package (decision 083), but for `line-store`.
import type {
  ErrlogChange,
  ErrlogEntry,
  ErrlogFacets,
  ErrlogFilter,
  ErrlogSort,
  ErrlogSource,
  LedgerPage,
  Page,
  Slice,
  SpanMeta,
} from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import { allEntries, walkGroups } from './read/all-groups.ts';
import * as arrivals from './read/arrivals.ts';
import { type CountSpan, countsAround, type GroupCounts } from './read/counts-around.ts';
import * as errors from './read/error-groups.ts';
import { errlogFacets } from './read/facets.ts';
import { type CountedHistogram, errlogHistogram } from './read/histogram.ts';
import { type LedgerQuery, readLedger, removeLedger } from './read/ledger.ts';
import type { GroupReader } from './read/line-search.ts';
import { listErrlog } from './read/list.ts';
import type { SourceAccess } from './read/source-access.ts';
import { type Answer, accountOf, hasSpan, type SpanQuery } from './read/span-account.ts';
import * as watched from './read/watched-groups.ts';
import { type ErrlogPage, errlogByIds, type ListQuery } from './tables/columns.ts';
import { CorrectionsReader } from './tables/corrections.ts';
import type { ErrorKey } from './tables/group-key.ts';
import { lockGroups } from './tables/group-lock.ts';
import { type GroupMinute, minutesOfGroups } from './tables/group-minutes.ts';
import { currentIds, movedTo } from './tables/moved-groups.ts';
import { updateSearchIndex } from './tables/search-index.ts';
import { listSources, type Sender } from './tables/sources.ts';
import { type ChangedGroup, changeGroups, dueGroups, groupsToChange, type TimedState } from './write/change-groups.ts';
import { hasSparseIndex, rebuildIndexes } from './write/index-upkeep.ts';
import type { SentLine } from './write/line-columns.ts';
import * as partitions from './write/line-partitions.ts';
import { type ListenerLoss, recordListening, recordStart } from './write/listening.ts';
import { removeReceipts } from './write/receipts.ts';
import { hasOldFingerprints, refingerprint } from './write/refingerprint.ts';
import * as retention from './write/retention-slices.ts';
import { groupVacuum } from './write/vacuum-groups.ts';

export { checkRule, groupCorrections } from './correct/corrections.ts';
export type { ChosenLine } from './correct/split-group.ts';
export { type CopiedLine, eraseByFilter } from './erase-by-filter.ts';
export { CHECK_EVERY_MS, checkSome } from './integrity/check-all.ts';
export { type Damage, DamageRecord, readDamage } from './integrity/damage-record.ts';
export { repairSegments } from './integrity/repair.ts';
export { type LineEngine, type LineEngineDeps, segmentEngine } from './line-engine.ts';
export type { LineQuery, LineReads } from './lines/line-reads.ts';
export { ERASED } from './packing/erase.ts';
export { createPacker, type Packer } from './packing/packer.ts';
export type { CountSpan, GroupCounts } from './read/counts-around.ts';
export type { MinuteCount, SourceGroup } from './read/error-groups.ts';
export { histogramSpan } from './read/histogram-span.ts';
export type { GroupReader } from './read/line-search.ts';
export { type Placed, readAccess, type SourceAccess } from './read/source-access.ts';
export type { SpanQuery } from './read/span-account.ts';
export type { Regressed, WatchedGroup } from './read/watched-groups.ts';
export type { DamagedSegment, DamagedSpan } from './segments/damage-log.ts';
export { checksumWarning, findDamage } from './tables/check-stored.ts';
export type { ErrlogPage, ListQuery } from './tables/columns.ts';
export type { StoredRule } from './tables/corrections.ts';
export { type ErrorKey, errorKey } from './tables/group-key.ts';
export { firstMinuteKept, MINUTES_KEPT_S, minuteOf } from './tables/minutes.ts';
export { allFields } from './tables/occurrence-fields.ts';
export { checkSearchIndex } from './tables/search-index.ts';
export { nameAgent } from './tables/sender-names.ts';
export { type Sender, type StoredNames, storedNames } from './tables/sources.ts';
export type { StoredBatch } from './write/batch.ts';
export type { ChangedGroup, TimedState } from './write/change-groups.ts';
export type { BatchNote, LedgerNotes, Loss } from './write/ledger-notes.ts';
export type { SentLine } from './write/line-columns.ts';
export { daysOfPartition, type Outdated } from './write/line-partitions.ts';
export { type ListenerLoss, MARK_EVERY_S } from './write/listening.ts';
export type { ReceiptKey } from './write/receipts.ts';
export type { Removed } from './write/retention-slices.ts';

/** Reads of the groups of a filter, for one caller. Texts and spans are looked for in stored lines. */
export interface ErrlogLists {
  /** A page of groups, and how many there are. */
  list(query: ListQuery<ErrlogSort>): Promise<ErrlogPage>;
  /**
   * All groups of a filter in portions, by falling id, from below `beforeId`.
   *
   * @throws AppError `conflict` if a search of lines did not see all of them
   */
  allGroups(filter: ErrlogFilter, beforeId?: number): Promise<AsyncGenerator<ErrlogEntry[]>>;
  /** Ids of all groups of a filter in portions; throws as {@link ErrlogLists.allGroups} does. */
  allIds(filter: ErrlogFilter): Promise<AsyncGenerator<{ readonly id: number }[]>>;
  /** Occurrences over time, in at most `buckets` buckets. */
  histogram(filter: ErrlogFilter, buckets: number): Promise<CountedHistogram>;
  /** Numbers of groups by level, state, source, application and service; of the latter three the `top` largest. */
  facets(filter: ErrlogFilter, top: number): Promise<Omit<ErrlogFacets, 'meta'>>;
}

/** Reads of groups for rules that are evaluated again and again. Each call is bounded by what is new or recent. */
export interface WatchedGroups {
  /** The groups among some ids that match a filter. */
  among(filter: string, ids: readonly number[]): Promise<watched.WatchedGroup[]>;
  /**
   * Groups of a filter that happened since a time, Unix seconds, in portions, the latest first, with their occurrences
   * since then or since `countedS`. Leaves out groups with at most `over` occurrences in all.
   */
  recent(filter: string, sinceS: number, options?: watched.RecentOptions): AsyncGenerator<watched.CountedGroup[]>;
}

/** The reads of rules. */
export const watchedGroups = (reader: GroupReader): WatchedGroups => ({
  among: (filter, ids) => watched.groupsAmong(reader, filter, ids),
  recent: (filter, sinceS, options) => watched.recentGroups(reader, filter, sinceS, options),
});

/** The lists of one caller. */
export const errlogLists = (reader: GroupReader): ErrlogLists => ({
  list: (query) => listErrlog(reader, query),
  allGroups: (filter, beforeId) => allEntries(reader, filter, beforeId),
  allIds: (filter) => walkGroups<{ id: number }>(reader, filter, 'e.id'),
  histogram: (filter, buckets) => errlogHistogram(reader, filter, buckets),
  facets: (filter, top) => errlogFacets(reader, filter, top),
});

export { fillSearchIndex } from './tables/search-index.ts';

/** Reads of groups, occurrences and sources. */
export interface ErrlogReads {
  /**
   * A group with the number of sources that have its error, as far as the caller may see them; inside a transaction
   * where one is given.
   */
  group(id: number, access: SourceAccess | undefined, tx?: Tx): Promise<ErrlogEntry | undefined>;
  /** The group that a group was merged into; undefined where it was not. Inside a transaction where one is given. */
  movedTo(id: number, tx?: Tx): Promise<number | undefined>;
  /** Ids of groups as they are now: those that were merged are one. */
  currentIds(ids: readonly number[]): Promise<number[]>;
  /** Fingerprints of the groups of lines, as corrections by people have them. */
  correctedPrints(lines: readonly SentLine[], fingerprints: readonly string[]): Promise<readonly string[]>;
  /** Groups by id, newest first; inside a transaction where one is given. */
  groupsById(ids: readonly number[], tx?: Tx): Promise<ErrlogEntry[]>;
  /** Sources by a part of their name or address, or by their agent; newest first. */
  sources(
    query: { readonly q?: string | undefined; readonly agent_id?: number | undefined },
    slice: Slice,
    access: SourceAccess | undefined,
  ): Promise<Page<ErrlogSource>>;
  /** Sources behind one, by rising id, with the minute of their latest line. */
  lastArrivals(behind: number, limit: number): Promise<arrivals.LastArrival[]>;
  /** Minutes in which lines of a source arrived, both ends included, in order. */
  arrivalMinutes(src: number, from: number, to: number): Promise<number[]>;
  /** Times in which no server listened that ended in a minute or later. */
  downTimes(fromMinute: number): Promise<arrivals.DownTime[]>;
  /** Source -> its displayed name. */
  sourceNames(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Id of the newest group; 0 before any. */
  newestId(): Promise<number>;
  /** Id before the first group that arrived at a time or later, Unix seconds. */
  idBefore(timeS: number): Promise<number>;
  /** Ids of groups above an id, by rising id. */
  idsAfter(id: number, limit: number): Promise<number[]>;
  /** Groups that regressed at a time or later, Unix seconds, oldest first. */
  regressedSince(timeS: number, limit: number): Promise<watched.Regressed[]>;
  /** Id of the group of an error on the source of a sender. */
  findGroup(key: ErrorKey, sender: Sender): Promise<number | undefined>;
  /** Groups that happened in a span, latest first, with their occurrences before and after a moment in it. */
  countsAround(span: CountSpan, after: GroupCounts | undefined, limit: number): Promise<GroupCounts[]>;
  /** Groups of an error by rising source, from behind a source on. */
  groupsOfError(key: ErrorKey, afterSrc: number, limit: number): Promise<errors.SourceGroup[]>;
  /** Occurrences of some groups together by the minute, both ends included. */
  countByMinute(ids: readonly number[], from: number, to: number): Promise<errors.MinuteCount[]>;
  /** Number of lines of a service on a source, from one minute to before another one. */
  countOfService(src: number, service: string, span: { readonly from: number; readonly to: number }): Promise<number>;
  /** Occurrences of each group by the minute, both ends included. */
  minutesOfGroups(ids: readonly number[], from: number, to: number): Promise<GroupMinute[]>;
  /** Lines by source and minute, and where lines were lost; of sources that the caller may see as a whole. */
  ledger(query: LedgerQuery, access: SourceAccess | undefined): Promise<LedgerPage>;
  /** Tells whether a query has a span. `nowS` is in Unix seconds. */
  hasSpan(query: SpanQuery, nowS: number): boolean;
  /** Account of an answer: whether it has everything of its span, and the reason where it has nothing. */
  accountOf(query: SpanQuery, answer: Answer, nowS: number, access: SourceAccess | undefined): Promise<SpanMeta>;
  /** Growth of each group's occurrences at a moment. */
  growthOfGroups(
    ids: readonly number[],
    span: errors.GrowthSpan,
  ): Promise<{ readonly id: number; readonly growth: number }[]>;
}

/** Writes of what is stored. Events and audit rows belong to the caller, in the same transaction. */
export interface ErrlogWrites {
  /** Lets one transaction at a time change groups. Comes before the reads that decide which groups change. */
  lock(tx: Tx): Promise<void>;
  /** Groups as a change would find them; ids that do not exist are missing. */
  groupsToChange(ids: readonly number[]): Promise<ChangedGroup[]>;
  /** Changes groups under the lock and returns them as they were. */
  change(tx: Tx, ids: readonly number[], change: ErrlogChange, nowS: number): Promise<ChangedGroup[]>;
  /** Ids of groups whose state ends by a time, Unix seconds. */
  dueGroups(tx: Tx, state: TimedState, untilS: number, limit: number): Promise<number[]>;
  /** Removes a slice of the groups last seen before a time, under the lock. */
  removeOldGroups(tx: Tx, beforeS: number, limit: number): Promise<retention.Removed>;
  /** Removes a slice of the lines that are older than a time. */
  removeOldLines(tx: Tx, beforeS: number, limit: number): Promise<retention.Removed>;
  /** Removes a slice of the lines that arrived first. */
  removeOldestLines(tx: Tx, limit: number): Promise<retention.Removed>;
  /** Tells whether {@link dropPartitions} has something to do; false on SQLite. */
  hasOutdatedPartitions(outdated: partitions.Outdated): Promise<boolean>;
  /** Removes the partitions of the oldest lines. Throws kind `busy` where others use the table for long. */
  dropPartitions(tx: Tx, outdated: partitions.Outdated): Promise<retention.Removed>;
  /** Tells whether {@link closePartition} has something to do; false on SQLite. */
  isPartitionDue(beforeDay: number): Promise<boolean>;
  /** Ends the partition of lines from before a day, counted from 1970; throws as {@link dropPartitions} does. */
  closePartition(tx: Tx, beforeDay: number): Promise<void>;
  /** Tells whether {@link rebuildIndexes} has something to do; false on SQLite. */
  hasSparseIndex(): Promise<boolean>;
  /** Rebuilds sparse indexes of groups, on one server at a time; returns their names. */
  rebuildIndexes(stopped: () => boolean): Promise<readonly string[]>;
  /** Vacuums groups after many of them changed; returns whether it did. */
  vacuumGroups(): Promise<boolean>;
  /** Estimates how many groups do not fit into some bytes. */
  groupsBeyond(tx: Tx, bytes: number): Promise<number>;
  /** Numbers of the groups and lines from before two times. */
  countOld(groupsBeforeS: number, linesBeforeS: number): Promise<{ groups: number; lines: number }>;
  /** Size in bytes: of the database on SQLite, of lines and groups on PostgreSQL. */
  sizeBytes(tx?: Tx): Promise<number>;
  /** Sums minutes into hours for the next groups after an id; returns the last of them. */
  mergeMinutes(beforeMinute: number, afterId: number, limit: number): Promise<number | undefined>;
  /** Removes the numbers of all sources by the minute, from before one. */
  removeRates(tx: Tx, beforeMinute: number): Promise<unknown>;
  /** Adds losses of listeners to the ledger, and marks that a server listens. */
  recordListening(tx: Tx, losses: readonly ListenerLoss[], nowS: number): Promise<void>;
  /** Adds the gap since that mark to the ledger. */
  recordStart(tx: Tx, nowS: number): Promise<void>;
  /** Removes the ledger from before a time, Unix seconds. */
  removeLedger(tx: Tx, beforeS: number): Promise<void>;
  /** Removes receipts from before a time, Unix milliseconds; returns their number. */
  removeReceipts(tx: Tx, beforeMs: number, limit: number): Promise<number>;
  /** Tells whether groups have fingerprints of earlier rules. */
  hasOldFingerprints(): Promise<boolean>;
  /** Gives all groups the fingerprints of today's rules. No lines may be stored meanwhile. */
  refingerprint(stopped: () => boolean): Promise<void>;
  /** Adds new and changed texts to the search index. */
  updateSearchIndex(stopped: () => boolean): Promise<void>;
}

/** Error logs in one place. Lines come in through the entry `line-store`, which loads nothing else of this package. */
export interface ErrlogStore extends ErrlogReads, ErrlogWrites {}

/** The store in a database. It keeps nothing: any number of them may be used at once. */
export function errlogStore(db: Database): ErrlogStore {
  const { dialect } = db;
  const { sql } = db.read;
  return {
    group: (id, access, tx) => errors.groupById((tx ?? db.read).sql, dialect, id, access),
    movedTo: (id, tx) => movedTo((tx ?? db.read).sql, id),
    currentIds: (ids) => currentIds(sql, ids),
    async correctedPrints(lines, fingerprints) {
      const corrections = await new CorrectionsReader().read(sql);
      const print = ({ line, sender }: SentLine, own: string) => corrections?.printOf(line, sender.name, 0, own) ?? own;
      return lines.map((line, i) => print(line, fingerprints[i] ?? ''));
    },
    groupsById: (ids, tx) => errlogByIds((tx ?? db.read).sql, ids),
    sources: (query, slice, access) => listSources(db, query, slice, access),
    countsAround: (span, after, limit) => countsAround(sql, span, after, limit),
    lastArrivals: (behind, limit) => arrivals.lastArrivals(sql, behind, limit),
    arrivalMinutes: (src, from, to) => arrivals.arrivalMinutes(sql, src, from, to),
    downTimes: (fromMinute) => arrivals.downTimes(sql, fromMinute),
    sourceNames: (ids) => arrivals.sourceNames(sql, ids),
    newestId: () => watched.newestId(sql),
    idBefore: (timeS) => watched.idBefore(sql, timeS),
    idsAfter: (id, limit) => watched.idsAfter(sql, id, limit),
    regressedSince: (timeS, limit) => watched.regressedSince(sql, timeS, limit),
    findGroup: (key, sender) => errors.findGroup(sql, key, sender),
    groupsOfError: (key, afterSrc, limit) => errors.groupsOfError(sql, key, afterSrc, limit),
    countByMinute: (ids, from, to) => errors.countByMinute(sql, ids, from, to),
    countOfService: (src, service, span) => errors.countOfService(sql, src, service, span),
    minutesOfGroups: (ids, from, to) => minutesOfGroups(sql, ids, from, to),
    ledger: (query, access) => readLedger(sql, dialect, query, access?.whole),
    hasSpan,
    accountOf: (query, answer, nowS, access) => accountOf({ sql, dialect, nowS, access }, query, answer),
    growthOfGroups: (ids, span) => errors.growthOfGroups(sql, ids, span),

    lock: (tx) => lockGroups(tx, dialect),
    groupsToChange: (ids) => groupsToChange(db.read, dialect, ids),
    change: (tx, ids, change, nowS) => changeGroups(tx, dialect, ids, change, nowS),
    dueGroups,
    removeOldGroups: (tx, beforeS, limit) => retention.removeOldGroups(tx, dialect, beforeS, limit),
    removeOldLines: (tx, beforeS, limit) => retention.removeOldLines(tx, dialect, beforeS, limit),
    removeOldestLines: (tx, limit) => retention.removeOldestLines(tx, dialect, limit),
    hasOutdatedPartitions: (outdated) => partitions.hasOutdated(sql, dialect, outdated),
    dropPartitions: partitions.dropPartitions,
    isPartitionDue: (beforeDay) => partitions.isPartitionDue(sql, dialect, beforeDay),
    closePartition: partitions.closePartition,
    hasSparseIndex: () => hasSparseIndex(db),
    rebuildIndexes: (stopped) => rebuildIndexes(db, stopped),
    vacuumGroups: groupVacuum(db),
    groupsBeyond: (tx, bytes) => retention.groupsBeyond(tx, dialect, bytes),
    countOld: (groupsBeforeS, linesBeforeS) => retention.countOld(sql, groupsBeforeS, linesBeforeS),
    sizeBytes: (tx) => retention.sizeBytes((tx ?? db.read).sql),
    mergeMinutes: (beforeMinute, afterId, limit) => retention.mergeMinutes(db, beforeMinute, afterId, limit),
    removeRates: retention.removeRates,
    recordListening,
    recordStart: (tx, nowS) => recordStart(tx, dialect, nowS),
    removeLedger,
    removeReceipts,
    hasOldFingerprints: () => hasOldFingerprints(db),
    refingerprint: (stopped) => refingerprint(db, stopped),
    updateSearchIndex: (stopped) => updateSearchIndex(db, stopped),
  };
}
