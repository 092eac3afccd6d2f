// Filters live lines, and events about error logs, as the lists do.
import {
  compileFilter,
  type ErrlogEntry,
  type Filter,
  type FilterableLine,
  type Line,
  type LiveErrlogFilter,
  matchesErrlog,
  parseFilter,
  termsOf,
} from '@quarterdeck/core';
import { allFields, type LineQuery, type SourceAccess } from '@quarterdeck/store';
import { linesWithin } from '../seen-sources.ts';

/** Filters of the event stream. */
export interface LiveQuery extends LiveErrlogFilter {
  readonly filter?: string | undefined;
}

/** A compiled {@link LiveQuery}. */
export interface LiveFilter {
  /** A condition that every matching line fulfils, for reads of stored lines. */
  readonly query: LineQuery;
  readonly isEmpty: boolean;
  /** The filter reads properties of the group that a line does not have. */
  readonly needsGroup: boolean;
  /** The subscriber sees a part of the sources: it learns no number of the others. */
  readonly seesPart: boolean;
  /** Awaited before lines or events that have just been read are tested; undefined where nothing has to be read. */
  readonly prepare: (() => Promise<void>) | undefined;
  /** Tests a line; `group` is undefined where it was removed, or is not needed. */
  matchesLine(line: Line, group: ErrlogEntry | undefined): boolean;
  /** Tests the entry of an event, whose text is that of the line that arrived. */
  matchesEntry(entry: ErrlogEntry): boolean;
}

/** Filters that an entry of the list answers and a line does not. */
const OF_GROUP = ['state', 'fingerprint', 'node_type', 'node_id'] as const;

/** Sources that a subscriber may see, at this moment. */
export interface LiveAccess {
  /** As of the last call of `refresh`. */
  readonly current: () => SourceAccess;
  readonly refresh: () => Promise<void>;
}

/**
 * Compiles a filter. Ages such as `since:2h` count back from `nowS`, in Unix seconds. `access` narrows it; undefined
 * for a subscriber who may see everything.
 */
export function compileLiveFilter(
  { filter: text, ...list }: LiveQuery,
  nowS: number,
  access?: LiveAccess | undefined,
): LiveFilter {
  const filter: Filter = text === undefined ? { kind: 'all' } : parseFilter(text);
  const test = compileFilter(filter, nowS);
  const isUnlisted = Object.values(list).every((value) => value === undefined);
  const isListed = (entry: () => ErrlogEntry) => isUnlisted || matchesErrlog(entry(), list);
  const { q, level, level_max: levelMax, src, app_id: appId, node_type: nodeType, node_id: nodeId } = list;
  const namesState = termsOf(filter).some((term) => term.kind === 'field' && term.field === 'state');
  return {
    get query() {
      return linesWithin({ filter, q, level, levelMax, src, appId, nodeType, nodeId }, access?.current());
    },
    isEmpty: isUnlisted && filter.kind === 'all' && access === undefined,
    seesPart: access !== undefined,
    prepare: access?.refresh,
    needsGroup: namesState || OF_GROUP.some((name) => list[name] !== undefined),
    matchesLine: (line, group) =>
      access?.current().has(line) !== false &&
      test({ ...line, fields: () => line.fields, ...stateOf(group) }) &&
      isListed(() => entryOf(line, group)),
    matchesEntry: (entry) => access?.current().has(entry) !== false && test(lineOf(entry)) && isListed(() => entry),
  };
}

const stateOf = (group: ErrlogEntry | undefined) => (group?.state === undefined ? {} : { state: group.state });

/** The group of a line as if this line were its newest. */
const entryOf = (line: Line, group: ErrlogEntry | undefined): ErrlogEntry => ({
  ...group,
  id: line.group,
  level: line.level,
  count: line.count,
  src: line.src,
  log_time: line.time,
  log: line.log,
  app_id: line.app_id,
  service: line.service,
});

/** The newest line of a group, as far as the entry has it. */
const lineOf = (entry: ErrlogEntry): FilterableLine => ({
  time: entry.log_time,
  level: entry.level,
  log: entry.log,
  host: entry.host ?? '',
  service: entry.service ?? '',
  source: entry.source ?? '',
  src: entry.src,
  app_id: entry.app_id ?? 0,
  req_id: '',
  group: entry.id,
  fields: () => allFields(undefined, entry.log),
  ...stateOf(entry),
});
