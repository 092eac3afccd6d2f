// Changes of the filter of errors: by facet, by order, by the arguments of a command. Pure.
import { ERRLOG_STATES } from '@quarterdeck/core/plain';
import type { ErrlogListQuery } from '@quarterdeck/sdk';
import { anyValue, isId, isNumber, type KnownArguments } from '../filters/arguments.ts';
import { withChange } from '../filters/with-change.ts';
import { type ErrlogFilter, NO_FILTER, OPEN_STATES, readLevel } from './errlog.ts';

type ErrlogSort = NonNullable<ErrlogListQuery['sort']>;

/** Toggles a value of a facet in a filter. */
export function chooseFacet(filter: ErrlogFilter, facet: string, key: string): ErrlogFilter {
  const number = Number(key);
  const toggled = (is: number | undefined): number | undefined => (is === number ? undefined : number);
  if (facet === 'level') return withChange(filter, { level: toggled(filter.level), level_max: undefined });
  if (facet === 'source') return withChange(filter, { src: toggled(filter.src) });
  if (facet === 'service') return withChange(filter, { service: filter.service === key ? undefined : key });
  if (facet === 'app') return withChange(filter, { app_id: toggled(filter.app_id) });
  if (facet !== 'state') return filter;
  const states = filter.state?.split(',') ?? [];
  const next = states.includes(key) ? states.filter((state) => state !== key) : [...states, key];
  return withChange(filter, { state: next.join(',') });
}

/** Orders of the server by column: the first one, and its reverse. */
export const ERRLOG_SORTS: Readonly<Record<string, readonly [first: ErrlogSort, second: ErrlogSort]>> = {
  time: ['-log_time', 'log_time'],
  count: ['-count', 'count'],
  first: ['-first_seen', 'first_seen'],
  level: ['level', '-level'],
  source: ['source', '-source'],
};

/** The orders of rows that stand for an error on several sources. */
const ROLLUP_SORTS: readonly ErrlogSort[] = ['-log_time', '-count', 'count'];

/** Returns whether the server can sort by a column. */
export const isSortable = ({ rollup }: ErrlogFilter, column: string): boolean =>
  ERRLOG_SORTS[column]?.some((sort) => rollup !== true || ROLLUP_SORTS.includes(sort)) === true;

/** Groups the same error of several sources, or not. An order that groups do not have ends. */
export function toggleRollup(filter: ErrlogFilter): ErrlogFilter {
  const { rollup, sort = '-log_time' } = filter;
  if (rollup === true) return withChange(filter, { rollup: undefined });
  return withChange(filter, { rollup: true, ...(ROLLUP_SORTS.includes(sort) ? {} : { sort: undefined }) });
}

/** Sorts by a column, or reverses it; null where the server has no such order. */
export function sortFilter(filter: ErrlogFilter, column: string): ErrlogFilter | null {
  const orders = ERRLOG_SORTS[column];
  if (orders === undefined || !isSortable(filter, column)) return null;
  const { sort = '-log_time', rollup } = filter;
  const isReversible = rollup !== true || ROLLUP_SORTS.includes(orders[1]);
  const next = sort === orders[0] && isReversible ? orders[1] : orders[0];
  return withChange(filter, { sort: next === '-log_time' ? undefined : next });
}

const isLevel = (value: string): boolean => readLevel(value) !== undefined;

/** The arguments of `:logs`. */
export const ERRLOG_ARGUMENTS: KnownArguments = {
  level: isLevel,
  state: (value) =>
    value === 'open' || value.split(',').every((state) => (ERRLOG_STATES as readonly string[]).includes(state)),
  source: anyValue,
  service: anyValue,
  app: isNumber,
  request: anyValue,
  only: isLevel,
  error: anyValue,
  src: isNumber,
  req: anyValue,
  id: isId,
  group: isNumber,
};

/**
 * The filter of a visit: `level=4`, `app=12`, `request=...`, a text, `error=` with a fingerprint. `named` is the id of
 * the source in `source=web-1`, because the server filters by id.
 */
export function errlogFilterFor(
  { args = {}, text }: { readonly args?: Readonly<Record<string, string>>; readonly text?: string | undefined },
  named?: number,
): ErrlogFilter {
  const level = args['level'] === undefined ? undefined : readLevel(args['level']);
  const exact = args['only'] === undefined ? undefined : readLevel(args['only']);
  const app = args['app'];
  return withChange(NO_FILTER, {
    level_max: level,
    level: exact,
    app_id: app !== undefined && /^\d+$/.test(app) ? Number(app) : undefined,
    service: args['service'],
    fingerprint: args['error'],
    req_id: args['request'] ?? args['req'],
    state: args['state'] === 'open' ? OPEN_STATES : args['state'],
    src: named ?? (args['src'] !== undefined && /^\d+$/.test(args['src']) ? Number(args['src']) : undefined),
    filter: args['group'] === undefined ? text : `group:${args['group']}`,
  });
}
