// The interface of reading stored lines.
import type { ErrlogOccurrence, Filter, Page, Slice } from '@quarterdeck/core';
import type { DamagedSpan } from '../segments/damage-log.ts';

/** A stored line as it is on the wire (wire contract, section 11). */
export interface Line {
  /** Decimal text of its number in the order of arrival. */
  readonly id: string;
  /** Unix seconds. */
  readonly time: number;
  readonly level: number;
  readonly log: string;
  /** All fields: those of its text, and those that are stored beside it. */
  readonly fields: Readonly<Record<string, string>>;
  /** Id of its group. */
  readonly group: number;
  readonly src: number;
  /** Displayed name of its source. */
  readonly source: string;
  readonly host: string;
  /** `''` = none. */
  readonly service: string;
  /** 0 = none. */
  readonly app_id: number;
  /** `''` = none. */
  readonly req_id: string;
  /** Number of equal lines that it stands for. */
  readonly count: number;
}

/** Condition on lines: all of its parts must hold. An absent part holds for every line. */
export interface LineQuery {
  readonly filter?: Filter | undefined;
  /** Text that the line contains. In all texts of a query ASCII letters match in any case. */
  readonly q?: string | undefined;
  /** Unix seconds, both included. */
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  /** This level exactly. */
  readonly level?: number | undefined;
  /** This level or more severe. */
  readonly levelMax?: number | undefined;
  readonly src?: number | undefined;
  readonly appId?: number | undefined;
  readonly reqId?: string | undefined;
  readonly nodeType?: number | undefined;
  readonly nodeId?: number | undefined;
  /** Ids of groups. */
  readonly groups?: readonly number[] | undefined;
  /** `''` = lines without one. */
  readonly service?: string | undefined;
  readonly host?: string | undefined;
}

/** Position and size of a page. At most one of the cursors is given. */
export interface LineSlice {
  readonly limit: number;
  /** Cursor of an earlier answer: continues with older lines. */
  readonly before?: string | undefined;
  /** Cursor of an earlier answer: continues with newer lines. */
  readonly after?: string | undefined;
}

/** A page of lines, the newest first. */
export interface LinePage {
  readonly data: Line[];
  readonly meta: {
    /** Cursor of the older lines; null where none are left. */
    readonly before: string | null;
    /** Cursor of the newer lines; null where none are newer. */
    readonly after: string | null;
    /** False where the time ran out, and its cursor goes on; also while lines of an earlier version are converted. */
    readonly complete: boolean;
    /** Times of lines that are missing because their bytes are damaged. */
    readonly damaged?: DamagedSpan[];
    /** Number of lines that the answer is about: those read, and those that the segments' heads excluded. */
    readonly scanned: number;
  };
}

/** Values of a field with their numbers of occurrences (the sum of `count`). */
export interface LineValues {
  /** The most frequent first. */
  readonly values: { readonly value: string; readonly count: number }[];
  /** Occurrences of all other values. Lines without the field count nowhere. */
  readonly other: number;
  /** Number of different values; a lower bound where there are more than a search keeps. */
  readonly distinct: number;
  /** False where the time ran out, or where there are more values than a search keeps: another may be more frequent. */
  readonly complete: boolean;
  /** Times of lines that are missing because their bytes are damaged. */
  readonly damaged?: DamagedSpan[];
}

/** Occurrences over time, as the histogram of error logs has them. */
export interface LineHistogram {
  /** Unix seconds; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly buckets: { readonly time: number; count: number; readonly levels: number[] }[];
  readonly complete: boolean;
  /** Times of lines that are missing because their bytes are damaged. */
  readonly damaged?: DamagedSpan[];
}

/** Span of a histogram: buckets of `step` seconds from `start` until before `end`, Unix seconds. */
export interface HistogramSpan {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/** A group that has a matching line. */
export interface MatchedGroup {
  readonly id: number;
  /** Occurrences within the query. */
  readonly count: number;
  /** Unix seconds of the latest line within the query. */
  readonly last: number;
}

/** Lines in the order of arrival. */
export interface ArrivedLines {
  readonly data: Line[];
  /** Id up to which all lines were looked at: the place to continue from. */
  readonly last: string;
  /** All lines that have arrived were looked at. */
  readonly atEnd: boolean;
  /** Times of lines that are missing because their bytes are damaged. */
  readonly damaged?: DamagedSpan[];
}

/** Lines around a line. */
export interface ContextLines {
  readonly data: Line[];
  /** False where lines are missing because their bytes are damaged. */
  readonly complete: boolean;
  readonly damaged?: DamagedSpan[];
}

/** Narrows or widens the surroundings of a line: its source, its service on any host, or its request. */
export type ContextScope = 'source' | 'service' | 'request';

/**
 * Reads of stored lines, on threads. `credential` identifies the caller: each has two searches at once.
 *
 * Every method rejects with AppError `overloaded` where too many searches wait or a thread has ended, and
 * `shutting_down` after {@link LineReads.close}.
 */
export interface LineReads {
  /** @throws AppError `validation_failed` for a cursor that is none, naming it */
  page(query: LineQuery, slice: LineSlice, credential: string, signal?: AbortSignal): Promise<LinePage>;
  line(id: string): Promise<Line | undefined>;
  /**
   * Lines around a line, itself included, in the order of time: of the same host and service unless `same` is given.
   * All of them match `within`. Undefined where there is no such line.
   */
  context(
    id: string,
    around: {
      readonly before: number;
      readonly after: number;
      readonly same?: ContextScope | undefined;
      readonly within?: Filter | undefined;
    },
  ): Promise<ContextLines | undefined>;
  /** The `top` most frequent values of a field, by its name in the filter language. */
  values(query: LineQuery, field: string, top: number, credential: string, signal?: AbortSignal): Promise<LineValues>;
  histogram(query: LineQuery, span: HistogramSpan, credential: string, signal?: AbortSignal): Promise<LineHistogram>;
  /**
   * The groups that have a matching line, the last to match first. `complete` is false where the time ran out or there
   * are more than `max`.
   */
  groups(
    query: LineQuery,
    max: number,
    credential: string,
    signal?: AbortSignal,
  ): Promise<{ readonly groups: MatchedGroup[]; readonly complete: boolean }>;
  /** Ids of groups that have a matching line, at most `max`, in no order. Ends once there are more. */
  groupIds(
    query: LineQuery,
    max: number,
    credential: string,
    signal?: AbortSignal,
  ): Promise<{ readonly ids: number[]; readonly complete: boolean }>;
  /** The newest matching line of each of a few groups, such as those of a page. A group without one is missing. */
  newestOf(groups: readonly number[], query: LineQuery, credential: string): Promise<ReadonlyMap<number, Line>>;
  /** A page of a group's occurrences, the last to arrive first; `count` is the number of its lines that are kept. */
  occurrences(group: number, slice: Slice): Promise<Page<ErrlogOccurrence>>;
  /** Id of the line that arrived last; `0` before any. */
  lastId(): Promise<string>;
  /**
   * Matching lines that arrived after a line, at most `limit`. With a credential it is a search of that caller, such as
   * an export, and returns fewer where their texts are long; without one it does not wait for searches.
   */
  newerThan(id: string, limit: number, query?: LineQuery, credential?: string): Promise<ArrivedLines>;
  /**
   * Checks the next segment behind an id, on a thread of its own. Returns its id, undefined behind the last one.
   * Damaged parts are noted.
   */
  check(after: number): Promise<number | undefined>;
  /** Lets SQLite check the pages of its file. Returns what it says of damaged ones; nothing on PostgreSQL. */
  checkPages(): Promise<readonly string[]>;
  /** Ends the threads and rejects the searches that have not ended. */
  close(): Promise<void>;
}
