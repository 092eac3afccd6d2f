// Stored lines over the API.
import {
  type Actor,
  type contract,
  type Filter,
  invalidField,
  type Parsed,
  parseFilter,
  type Service,
  timeBounds,
  unixSeconds,
} from '@quarterdeck/core';
import { errlogStore, histogramSpan, type LineQuery, type SourceAccess } from '@quarterdeck/store';
import type { CallContext } from '../call-context.ts';
import { found } from '../found.ts';
import { accessOf, linesWithin, searcherOf } from '../seen-sources.ts';
import { eraseLines } from './line.erase.ts';
import type { LineNeeds } from './needs.ts';

type LineContract = (typeof contract)['line'];

/** Filters of the lines as they are on the wire. */
type WireFilter = Omit<Parsed<LineContract['list']>['query'], 'limit' | 'before' | 'after'>;

/** A condition on lines, and what its caller may see. */
type SeenQuery = LineQuery & { readonly access: SourceAccess | undefined };

export type LineService = Service<LineContract, CallContext>;

export function lineService(deps: LineNeeds): LineService {
  const { lineReads, now, db } = deps;
  const store = errlogStore(db);
  const nowS = () => unixSeconds(now());
  /** Returns the account of an answer about lines. */
  const accountOf = (query: SeenQuery, isEmpty: boolean, searched: boolean) =>
    store.accountOf(query, { isEmpty, searched, about: 'lines' }, nowS(), query.access);
  /** Returns a condition on lines as the store takes it, narrowed to what the caller may see. */
  const queryFor = async (actor: Actor, wire: WireFilter): Promise<SeenQuery> => {
    const access = await accessOf(db, actor);
    return { ...linesWithin(lineQueryOf(wire), access), access };
  };
  return {
    async list({ query: { limit, before, after, ...filter }, actor, left }) {
      if (before !== undefined && after !== undefined) {
        throw invalidField('query.after', 'give either before or after');
      }
      const slice = { limit, before, after };
      const { access, ...query } = await queryFor(actor, filter);
      const { data, meta } = await lineReads.page(query, slice, searcherOf(actor), left?.());
      const isEmpty = data.length === 0 && before === undefined && after === undefined;
      // The number of lines that were read is one of all sources.
      const scanned = access === undefined ? meta.scanned : data.length;
      return { data, meta: { ...meta, scanned, ...(await accountOf({ ...query, access }, isEmpty, meta.complete)) } };
    },
    async values({ query: { field, top, ...filter }, actor, left }) {
      const { access, ...query } = await queryFor(actor, filter);
      const found = await lineReads.values(query, field, top, searcherOf(actor), left?.());
      const { complete, damaged, ...values } = found;
      const account = await accountOf({ ...query, access }, values.distinct === 0, complete);
      return { ...values, meta: { ...account, damaged } };
    },
    async histogram({ query: { buckets, ...filter }, actor, left }) {
      const { access, ...query } = await queryFor(actor, filter);
      const span = histogramSpan(boundsOf(query, nowS()), buckets, nowS());
      const found = await lineReads.histogram(query, span, searcherOf(actor), left?.());
      const { complete, damaged, ...histogram } = found;
      const isEmpty = histogram.buckets.every(({ count }) => count === 0);
      const { startTime = 0, endTime = Infinity } = query;
      // Without a beginning, the histogram is about the last 24 hours only.
      const shown = { startTime: Math.max(startTime, span.start), endTime: Math.min(endTime, span.end - 1) };
      const account = await accountOf({ ...query, ...shown, access }, isEmpty, complete);
      return { ...histogram, meta: { ...account, damaged } };
    },
    erase: (call) => eraseLines(deps, call),
    async get({ params: { id }, actor }) {
      const access = await accessOf(db, actor);
      const line = await lineReads.line(id);
      return found(line && access?.has(line) === false ? undefined : line);
    },
    async context({ params: { id }, query, actor }) {
      const within = (await accessOf(db, actor))?.filter;
      const { data, ...meta } = found(await lineReads.context(id, { ...query, within }));
      return { data, meta };
    },
  };
}

/** Returns a condition on lines as the store takes it. */
export function lineQueryOf(wire: WireFilter): LineQuery {
  const { filter, group, start_time: startTime, end_time: endTime, level_max: levelMax, ...rest } = wire;
  const { app_id: appId, req_id: reqId, node_type: nodeType, node_id: nodeId, ...named } = rest;
  return {
    ...named,
    filter: filter === undefined ? undefined : parseFilter(filter),
    groups: group === undefined ? undefined : [group],
    startTime,
    endTime,
    levelMax,
    appId,
    reqId,
    nodeType,
    nodeId,
  };
}

const ALL: Filter = { kind: 'all' };

/** Span that the parameters and the filter of a query leave, both ends included. */
function boundsOf({ filter = ALL, startTime = 0, endTime = Infinity }: LineQuery, nowS: number) {
  const { from = 0, to = Infinity } = timeBounds(filter, nowS);
  return { from: Math.max(startTime, from), to: Math.min(endTime, to) };
}
