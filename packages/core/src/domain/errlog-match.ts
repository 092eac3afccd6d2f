// Applies the filters of the error-log list to one entry in memory, for live events.
import { lowerAscii } from '../base/ascii.ts';
import type { ErrlogEntry, ErrlogFilter } from './errlog.ts';
import type { liveErrlogFilters } from './errlog-live-filters.ts';

/** The part of {@link ErrlogFilter} that an entry can answer. */
export type LiveErrlogFilter = Pick<ErrlogFilter, keyof typeof liveErrlogFilters>;

/** Reports whether the list would show an entry of `detail=1` with this filter. */
export function matchesErrlog(entry: ErrlogEntry, filter: LiveErrlogFilter): boolean {
  const { node_id, node_type, level, level_max, app_id, src, service, state, q, fingerprint } = filter;
  return (
    equals(node_id, entry.node_id) &&
    equals(node_type, entry.node_type) &&
    equals(level, entry.level) &&
    (level_max === undefined || entry.level <= level_max) &&
    equals(app_id, entry.app_id) &&
    equals(src, entry.src) &&
    equals(service, entry.service) &&
    equals(fingerprint, entry.fingerprint) &&
    (state === undefined || (entry.state !== undefined && state.includes(entry.state))) &&
    (q === undefined || lowerAscii(entry.log).includes(lowerAscii(q)))
  );
}

const equals = <T>(wanted: T | undefined, is: T | null | undefined) => wanted === undefined || wanted === is;
