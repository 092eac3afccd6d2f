// Reads of lines on threads: searches share some, and a read of a few known lines never waits for a search.
import { availableParallelism } from 'node:os';
import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { DamagedSegment } from '../segments/damage-log.ts';
import { lastLineId } from '../tables/segment-rows.ts';
import type { LineRead } from './answer-read.ts';
import { LineReaderThread } from './line-reader-thread.ts';
import type { LineReads } from './line-reads.ts';
import type { LineAnswer, ThreadRead } from './read-lines.ts';
import { type LineReader, SearchQueue } from './search-queue.ts';

/** Caller of reads that the server itself makes. */
const SERVER = '';
const SEARCHES_WAITING = { ofAll: 16, ofOne: 8 } as const;
/** Characters of the lines of one read of an export, which holds them until its client reads on. */
const EXPORT_TEXT_MAX = 256 * 1024;
const LOOKUPS_WAITING = { ofAll: 256, ofOne: 256 } as const;

/** Dependencies of the reads of lines. */
export interface LineReadsDeps {
  readonly db: Database;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Takes the damaged segments that a read met. */
  readonly noteDamage?: (damaged: readonly DamagedSegment[]) => void;
  /** Opens a reader of another place of lines, instead of a thread that reads segments. */
  readonly openReader?: () => LineReader;
}

/** Creates the reads. They must be closed before the database; the first reads start their threads. */
export function createLineReads({ db, log, now, noteDamage = () => {}, openReader }: LineReadsDeps): LineReads {
  const openThread = (yields: boolean) => new LineReaderThread({ settings: db.readerSettings, yields }, log);
  const searchers = Math.max(1, availableParallelism() - 1);
  const searches = new SearchQueue(
    Array.from({ length: searchers }, () => openReader?.() ?? openThread(true)),
    SEARCHES_WAITING,
  );
  const lookups = new SearchQueue([openReader?.() ?? openThread(false)], LOOKUPS_WAITING);
  const checks = new SearchQueue<ThreadRead>([openThread(true)], LOOKUPS_WAITING);
  const nowS = () => Math.floor(now() / 1000);
  const valueIn = async <T>(answer: Promise<LineAnswer>): Promise<T> => {
    const { value, damaged } = await answer;
    if (damaged.length > 0) noteDamage(damaged);
    return value as T;
  };
  const search = <T>(read: LineRead, credential: string, signal?: AbortSignal) =>
    valueIn<T>(searches.run(credential, read, nowS(), signal));
  const lookUp = <T>(read: LineRead) => valueIn<T>(lookups.run(SERVER, read, nowS()));
  return {
    page: (query, slice, credential, signal) => search({ kind: 'page', query, slice }, credential, signal),
    line: (id) => lookUp({ kind: 'line', id }),
    context: (id, around) => lookUp({ kind: 'context', id, around }),
    values: (query, field, top, credential, signal) =>
      search({ kind: 'values', query, field, top }, credential, signal),
    histogram: (query, span, credential, signal) => search({ kind: 'histogram', query, span }, credential, signal),
    groups: (query, max, credential, signal) => search({ kind: 'groups', query, max }, credential, signal),
    groupIds: (query, max, credential, signal) => search({ kind: 'groupIds', query, max }, credential, signal),
    newestOf: (groups, query, credential) => search({ kind: 'newestOf', query, groups }, credential),
    occurrences: (group, slice) => lookUp({ kind: 'occurrences', group, slice }),
    lastId: async () => String(await lastLineId(db.read.sql)),
    newerThan(id, limit, query = {}, credential) {
      const read = { kind: 'newerThan', id, limit, query } as const;
      if (credential === undefined) return lookUp({ ...read, textMax: Infinity });
      return search({ ...read, textMax: EXPORT_TEXT_MAX }, credential);
    },
    check: (after) => valueIn(checks.run(SERVER, { kind: 'check', after }, nowS())),
    checkPages: () => valueIn(checks.run(SERVER, { kind: 'pages' }, nowS())),
    async close() {
      await Promise.all([searches.close(), lookups.close(), checks.close()]);
    },
  };
}
