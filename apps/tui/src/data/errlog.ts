// The error log as it is asked for: filters, pages, names of sources. One module for everything the server knows of it.

import type { contract } from '@quarterdeck/core';
import { type Input, LEVELS, levelName } from '@quarterdeck/core';
import type { Client, ErrlogEntry } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';

type Query = NonNullable<Input<(typeof contract)['errlog']['list']>['query']>;

/** What the list is narrowed by. */
export type ErrlogFilter = Omit<Query, 'page' | 'page_size' | 'start' | 'end' | 'detail'> & { readonly q?: string };

/** Nothing is left out. */
export const NO_FILTER: ErrlogFilter = {};

/** Reads rows of the list. */
export const listErrlog = (
  client: Client,
  filter: ErrlogFilter,
  range: { start: number; end: number },
  signal: AbortSignal,
) => client.errlog.list({ query: { ...filter, ...range, detail: 1 } }, { signal });

/** What can be told of an entry without asking: `unknown` where only the server can know. */
export function passes(entry: ErrlogEntry, filter: ErrlogFilter): 'yes' | 'no' | 'unknown' {
  const { level, level_max: levelMax, src, app_id: app, node_type: type, node_id: node, ...others } = filter;
  const misses = (wanted: unknown, is: unknown): boolean => wanted !== undefined && wanted !== is;
  if (levelMax !== undefined && entry.level > levelMax) return 'no';
  if (misses(level, entry.level) || misses(src, entry.src) || misses(app, entry.app_id)) return 'no';
  if (misses(type, entry.node_type) || misses(node, entry.node_id)) return 'no';
  return Object.values(others).every((value) => value === undefined) ? 'yes' : 'unknown';
}

/** Where an entry came from. */
export function sourceName({ source, src }: Pick<ErrlogEntry, 'source' | 'src'>): string {
  if (source !== undefined && source !== '') return source;
  return src === 0 ? 'this server' : `#${src}`;
}

/** A level by its number or name; undefined for what is neither. */
export function readLevel(text: string): number | undefined {
  const named = (LEVELS as readonly string[]).indexOf(text.toUpperCase());
  if (named !== -1) return named;
  return /^[0-8]$/.test(text) ? Number(text) : undefined;
}

/** A filter in words, a piece for each part. */
export function filterWords(filter: ErrlogFilter, nameOf: (src: number) => string): string[] {
  const { level_max: levelMax, level, src, app_id: app, req_id: request } = filter;
  return [
    ...(levelMax === undefined ? [] : [`${levelName(levelMax)} or worse`]),
    ...(level === undefined ? [] : [levelName(level)]),
    ...(src === undefined ? [] : [`from ${clean(nameOf(src))}`]),
    ...(app === undefined ? [] : [`app ${app}`]),
    ...(request === undefined ? [] : [`request ${clean(String(request))}`]),
  ];
}
