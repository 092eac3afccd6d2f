// Stored lines: wire contract section 11.
import * as z from 'zod';
import { LEVELS } from '../base/level.ts';
import { ErrlogHistogram, errlogFilters } from './errlog.ts';
import { FilterText } from './filter.ts';
import { damaged, spanMeta } from './ledger.ts';
import { queryInt, text } from './primitives.ts';

/** Number of the line in the order of arrival, as decimal text. Clients must not interpret it. */
export const LineId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, { message: 'must be the id of a line' })
  .meta({ description: 'Opaque text; rises in the order of arrival' });
/** `{id}` of a path. */
export const ByLineId = z.object({ id: LineId });

/** A stored line. */
export const Line = z.object({
  id: z.string().meta({ description: 'Opaque text' }),
  time: z.number().min(0).meta({ description: 'Unix seconds, with a fraction where the sender gave one' }),
  level: z
    .int()
    .min(0)
    .max(LEVELS.length - 1)
    .meta({ description: 'Number of the level: 0 STDERR, 1 EMERG, to 8 DEBUG' }),
  log: z.string(),
  fields: z.record(z.string(), z.string()).meta({ description: 'Fields of the sender, and parts of the text' }),
  group: z.int().meta({ description: 'Id of its entry in the list of error logs' }),
  src: z.int().meta({ description: 'Source id; 0 = this server' }),
  source: z.string().meta({ description: 'Name of the source' }),
  host: z.string(),
  service: z.string().meta({ description: 'Program that wrote the line; empty = none' }),
  app_id: z.int().meta({ description: '0 = none' }),
  req_id: z.string().meta({ description: 'Empty = none' }),
  count: z.int().min(1).meta({ description: 'Number of equal lines that it stands for' }),
});
export type Line = z.infer<typeof Line>;

/** Query parameters that select lines; lists, exports, histograms and live streams share them. */
export const lineFilters = {
  filter: FilterText.optional(),
  q: errlogFilters.q.meta({ description: 'Lines that contain this, taken literally; ASCII letters in any case' }),
  start_time: errlogFilters.start_time.meta({ description: 'From, Unix seconds' }),
  end_time: errlogFilters.end_time.meta({ description: 'Up to, Unix seconds' }),
  level: errlogFilters.level,
  level_max: errlogFilters.level_max,
  src: errlogFilters.src,
  app_id: errlogFilters.app_id,
  req_id: errlogFilters.req_id.meta({ description: 'Lines with this request id' }),
  node_type: errlogFilters.node_type,
  node_id: errlogFilters.node_id,
  group: queryInt(1).optional().meta({ description: 'Id of an entry in the list of error logs' }),
  service: text(255).optional(),
  host: text(255).optional(),
};

const cursor = text(200).optional();

/** Paging of the lines. Each cursor comes from `meta` of an answer with the same filters; at most one is given. */
export const linePageQuery = {
  limit: queryInt(1, 1000).default(100).meta({ description: 'Default 100' }),
  before: cursor.meta({ description: 'meta.before of an answer: continues with older lines' }),
  after: cursor.meta({ description: 'meta.after of an answer: continues with newer lines' }),
};

/**
 * A page of lines, the newest first; equal times in the order of arrival, the last first. An incomplete one can be
 * continued with a cursor.
 */
export const LinePage = z.object({
  data: z.array(Line),
  meta: z.object({
    before: z.string().nullable().meta({ description: 'Cursor of older lines; null = none are left' }),
    after: z.string().nullable().meta({ description: 'Cursor of newer lines; null = none are newer' }),
    scanned: z.int().meta({ description: 'Number of lines that the answer is about' }),
    ...spanMeta,
  }),
});
export type LinePage = z.infer<typeof LinePage>;

/** Lines around a line, narrowed or widened: of its source, its service on any host, or its request. */
export const LINE_CONTEXTS = ['source', 'service', 'request'] as const;
export const lineContextQuery = {
  before: queryInt(0, 1000).default(10).meta({ description: 'Number of lines before it; default 10' }),
  after: queryInt(0, 1000).default(10).meta({ description: 'Number of lines after it; default 10' }),
  same: z
    .enum(LINE_CONTEXTS)
    .optional()
    .meta({ description: 'Lines of the same source, service or request; default: of the same host and service' }),
};

/** Lines around a line, itself included, in the order of time. */
export const LineContext = z.object({
  data: z.array(Line),
  meta: z
    .object({ complete: z.boolean().meta({ description: 'false: lines around it are damaged' }), ...damaged })
    .optional(),
});
export type LineContext = z.infer<typeof LineContext>;

/** Values of a field with their numbers of occurrences. */
export const LineValues = z.object({
  values: z.array(z.object({ value: z.string(), count: z.int() })).meta({ description: 'The most frequent first' }),
  other: z.int().meta({ description: 'Occurrences of all other values' }),
  distinct: z.int().meta({ description: 'Number of different values; a lower bound where there are very many' }),
  meta: z.object({
    ...spanMeta,
    complete: spanMeta.complete.meta({
      description:
        'false: the search ran out of time, lines of the span were lost, or there are more values than are kept, so that another value may be more frequent',
    }),
  }),
});
export type LineValues = z.infer<typeof LineValues>;

/** Number of occurrences in equal steps of time. */
export const LineHistogram = ErrlogHistogram.omit({ partial: true }).extend({
  step: z.int().min(1).meta({ description: 'Seconds per bucket' }),
  meta: z.object(spanMeta),
});
export type LineHistogram = z.infer<typeof LineHistogram>;

/** Lines to be erased for good. */
export const LineErase = z
  .object({
    filter: FilterText.min(1),
    dry_run: z.boolean().default(false).meta({ description: 'Count the lines without a change' }),
  })
  .meta({ examples: [{ filter: '"token=hunter2"', dry_run: true }] });
export type LineErase = z.infer<typeof LineErase>;

/** Result of erasing lines. */
export const LineErased = z.object({
  matched: z.int().meta({ description: 'Number of stored lines that match' }),
  erased: z.int().meta({ description: 'Number of lines that were erased; 0 with dry_run' }),
  groups: z.int().meta({ description: 'Error groups whose newest text matches, and is replaced' }),
  alerts: z.int().meta({ description: 'Alerts whose texts are replaced' }),
  messages: z.int().meta({ description: 'Messages to channels whose texts are replaced, sent or not' }),
  sent: z.int().meta({ description: 'Of these, the ones that a receiver may have got with the text' }),
  backups: z.array(z.string()).meta({
    description: 'Copies in the data folder and the folder of backups that may still hold the lines',
  }),
  ...damaged,
});
export type LineErased = z.infer<typeof LineErased>;

/** `ndjson` has one JSON object a line; `csv` has a header line. */
export const LINE_EXPORT_FORMATS = ['ndjson', 'csv'] as const;

/** Query of an export, which has the lines in the order of arrival. */
export const LineExportQuery = z.object({
  ...lineFilters,
  format: z.enum(LINE_EXPORT_FORMATS).default('ndjson'),
  after_id: LineId.optional().meta({
    description: 'Only lines that arrived after this one: where an export that broke off goes on',
  }),
});
export type LineExportQuery = z.input<typeof LineExportQuery>;

/** Lines that a subscriber did not get. */
export const LinesMissed = z.object({
  count: z.int().min(1).meta({ description: 'Lines since the one before' }),
  exact: z
    .boolean()
    .meta({ description: 'false: an upper bound, because the lines were not compared with the filter' }),
});
export type LinesMissed = z.infer<typeof LinesMissed>;
