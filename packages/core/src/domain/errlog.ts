// Error logs: an entry is a group of equal errors from one source (specification 2.3, wire contract section 6).
import * as z from 'zod';
import { ERRLOG_STATES } from '../base/errlog-states.ts';
import { LEVELS } from '../base/level.ts';
import { FilterText } from './filter.ts';
import { spanMeta, whyEmpty } from './ledger.ts';
import { MuteUntil } from './mute-until.ts';
import { nextCursor } from './page.ts';
import { ById, queryFlag, queryInt, text, UnixSeconds } from './primitives.ts';

const LEVEL_MAX = LEVELS.length - 1;
const Level = z.int().min(0).max(LEVEL_MAX).meta({ description: 'Number of the level: 0 STDERR, 1 EMERG, to 8 DEBUG' });

export const ErrlogState = z.enum(ERRLOG_STATES);
export type ErrlogState = z.infer<typeof ErrlogState>;

/** Proof that a resolved error stays away although its service goes on being used. */
export const ErrlogProof = z.object({
  state: z.enum(['proven', 'unproven']).meta({
    description: 'proven: for a time and a number of lines in which an error that is still there would have come back',
  }),
  seen: z.int().meta({ description: 'Lines of its service on this source since it was resolved' }),
  since: UnixSeconds,
});
export type ErrlogProof = z.infer<typeof ErrlogProof>;

/** A group of equal errors. The fields after `log` come with `detail=1`. */
export const ErrlogEntry = z.object({
  id: z.int(),
  level: Level,
  count: z.int().meta({ description: 'Total number of occurrences' }),
  src: z.int().meta({ description: 'Source id; 0 = this server' }),
  log_time: UnixSeconds.meta({ description: 'Last occurrence, Unix seconds' }),
  log: z.string().meta({ description: 'Text of the latest occurrence' }),
  first_seen: UnixSeconds.optional(),
  state: ErrlogState.optional(),
  state_since: UnixSeconds.optional().meta({ description: 'Start of this state, Unix seconds' }),
  until: z.string().optional().meta({ description: 'End of the mute, such as 1h or 100x; empty when not muted' }),
  until_time: UnixSeconds.optional().meta({ description: 'Time at which the mute ends, Unix seconds; 0 = never' }),
  note: z.string().optional(),
  proof: ErrlogProof.optional().meta({ description: 'Of one resolved entry: whether it stays away' }),
  app_id: z.int().optional(),
  node_type: z.int().optional(),
  node_id: z.int().nullable().optional(),
  source: z
    .string()
    .optional()
    .meta({ description: 'Name of the source; with its agent or address where another source has the same name' }),
  host: z.string().optional().meta({ description: 'Host that wrote the lines' }),
  fingerprint: z.string().optional().meta({ description: 'Identifies equal errors of a service, also across sources' }),
  service: z.string().optional().meta({ description: 'Program that writes the lines; empty = none' }),
  sources: z
    .int()
    .optional()
    .meta({ description: 'Number of sources with this error: of one entry, and with rollup=1' }),
  count_in_range: z.int().optional().meta({ description: 'Occurrences from start_time to end_time' }),
  log_time_in_range: UnixSeconds.optional().meta({ description: 'Last occurrence from start_time to end_time' }),
  log_in_range: z
    .string()
    .optional()
    .meta({ description: 'Text of that occurrence; absent where it is no longer stored' }),
});
export type ErrlogEntry = z.infer<typeof ErrlogEntry>;

/** Request ids are text; an integer becomes its decimal text. */
const ReqId = z
  .union([text(128), z.int()], {
    // The reason for which the text is refused: callers write text.
    error: ({ errors }) => errors?.[0]?.[0]?.message,
  })
  .transform(String);

const isState = (text: string): text is ErrlogState => (ERRLOG_STATES as readonly string[]).includes(text);

/** One state, or several, comma-separated. */
const StateList = z
  .string()
  .max(100)
  .refine((value) => value.split(',').every(isState), {
    message: `must be one or more of ${ERRLOG_STATES.join(', ')}, comma-separated`,
  })
  .transform((value) => [...new Set(value.split(',').filter(isState))].sort());

/** Filters of the error-log list and of all other endpoints about many groups. */
export const errlogFilters = {
  node_id: queryInt(0).optional(),
  node_type: queryInt(0, 2).optional().meta({ description: '0 global, 1 admin site, 2 log server' }),
  level: queryInt(0, LEVEL_MAX).optional().meta({ description: 'This level exactly' }),
  level_max: queryInt(0, LEVEL_MAX).optional().meta({ description: 'This level or more severe' }),
  app_id: queryInt(0).optional(),
  service: text(255).optional().meta({ description: 'Program that writes the lines' }),
  req_id: ReqId.optional().meta({ description: 'Groups with a stored line of this request id' }),
  src: queryInt(0).optional().meta({ description: 'Source id' }),
  start_time: queryInt(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'Groups that happened at this time or later, Unix seconds' }),
  end_time: queryInt(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'Groups that happened at this time or earlier, Unix seconds' }),
  state: StateList.optional().meta({ description: `One or more of ${ERRLOG_STATES.join(', ')}, comma-separated` }),
  q: text(500)
    .optional()
    .meta({ description: 'Groups with a stored line that contains this, taken literally; ASCII letters in any case' }),
  filter: FilterText.optional(),
  fingerprint: text(64).optional().meta({ description: 'The same error on every source' }),
};

/** Filter of groups as JSON. An unknown field is refused: a misspelled one would match everything. */
export const ErrlogFilter = z.strictObject({ ...errlogFilters, req_id: text(128).optional() });
export type ErrlogFilter = z.infer<typeof ErrlogFilter>;

/**
 * Orders of the list; a minus sign is descending. `id` breaks ties, in the same direction. Groups of one level or
 * source come newest first.
 */
export const ERRLOG_SORTS = [
  ...(['-log_time', 'log_time', '-first_seen', 'first_seen', '-count', 'count'] as const),
  ...(['level', '-level', 'source', '-source'] as const),
] as const;
export const ErrlogSort = z.enum(ERRLOG_SORTS).default('-log_time').meta({
  description: 'Default -log_time; by level, the most severe first; with rollup only -log_time, -count and count',
});
export type ErrlogSort = z.infer<typeof ErrlogSort>;

/** Combines equal errors of several sources into one row: its count is their sum, all else is from the newest. */
export const ErrlogRollup = queryFlag()
  .default(false)
  .meta({ description: 'Default 0; 1 shows the same error on several sources as one row' });

/**
 * `meta` of the list of error logs. When very many groups may contain `q`, counting stops at 500 or at the end of the
 * page; then `capped` is set and `count` is a lower bound.
 */
export const ErrlogPageMeta = z.object({
  count: z.int().min(0),
  capped: z.literal(true).optional(),
  complete: z
    .boolean()
    .optional()
    .meta({
      description:
        'false: the time of the search ran out, and more groups may match, or lines were lost in the span; absent ' +
        'without a search and a span',
    }),
  ...whyEmpty,
  ...nextCursor,
});
export type ErrlogPageMeta = z.infer<typeof ErrlogPageMeta>;

/** A page of the list of error logs. */
export const ErrlogPage = z.object({ data: z.array(ErrlogEntry), meta: ErrlogPageMeta });
export type ErrlogPage = z.infer<typeof ErrlogPage>;

/** Value of a field in the intake. */
const FieldValue = z.union([z.string(), z.number(), z.boolean()]);
/** A name, or an object such as {"name": "web1"}, which becomes fields. */
const Named = z.union([z.string(), z.record(z.string(), z.unknown())]).nullish();

/**
 * One line of the intake. `level` is a number or a name of the table, in any case.
 *
 * Other members become fields: a number or boolean as its text, the members of an object by names with dots, a list as
 * JSON. An object without `log` is read as the JSON of a logger such as pino or winston. Its message is `message` or
 * `msg`, its stack trace `stack` or `err.stack`, and its `level` may also be one of pino's numbers (10 to 60).
 */
export const ErrlogLine = z.object({
  level: z.union([Level, z.string()]),
  log: z.string(),
  host: Named.meta({
    description: 'Host that wrote the line: its source. Default: the name of the API token, or of the user',
  }),
  service: Named.meta({ description: 'Program that wrote the line; lines of two services never group' }),
  fields: z
    .record(z.string(), FieldValue)
    .nullish()
    .meta({
      description:
        'At most 128 fields; names of at most 128, values of at most 4096, all of at most 32768 characters. ' +
        'An empty value is the same as none',
    }),
  log_time: UnixSeconds.nullish(),
  app_id: z.int().min(0).nullish(),
  req_id: z.union([z.string(), z.int()]).nullish(),
  node_type: z.int().min(0).max(2).nullish(),
  node_id: z.int().min(0).nullish(),
  count: z.int().min(1).nullish(),
});
export type ErrlogLine = z.infer<typeof ErrlogLine>;

/** Stored form of a line: the answer to a dry run. */
export const ErrlogPreview = z.object({
  index: z.int().meta({ description: 'Index of the line in the batch' }),
  level: Level,
  log: z.string(),
  fingerprint: z.string(),
  pattern: z.string().meta({ description: 'Input of the fingerprint: the text without its variable parts' }),
  group: z
    .int()
    .nullable()
    .meta({ description: 'Group that would count the line; null = a new one, or none that the caller may read' }),
  source: z.string().meta({ description: 'Name of the source' }),
  host: z.string().meta({ description: 'Host that wrote the line: the name of its source' }),
  service: z.string().meta({ description: 'Program that wrote the line; empty for none' }),
  fields: z.record(z.string(), z.string()),
});
export type ErrlogPreview = z.infer<typeof ErrlogPreview>;

/**
 * Receipt for a batch: the number of stored lines, and the lines that could not be read, by their index. `warnings`
 * names what of stored lines could not be kept as it came.
 */
export const ErrlogReceipt = z.object({
  accepted: z.int(),
  refused: z.array(z.object({ index: z.int(), message: z.string() })),
  warnings: z
    .array(
      z.object({
        index: z
          .int()
          .meta({ description: 'Index of the line in the batch; of the first line where it holds for many' }),
        fields: z
          .array(z.string())
          .meta({ description: 'Names of the fields, at most 32, each cut after 64 characters' }),
        message: z.string().meta({ description: 'Reason' }),
      }),
    )
    .optional()
    .meta({ description: 'Fields that were dropped, cut or replaced; the first 100 warnings' }),
  warned: z.int().optional().meta({ description: 'Number of lines with a warning' }),
  preview: z.array(ErrlogPreview).optional().meta({ description: 'With dry_run=1: nothing was stored' }),
});
export type ErrlogReceipt = z.infer<typeof ErrlogReceipt>;

/** One occurrence of a group, or several equal ones of the same second. */
export const ErrlogOccurrence = z.object({
  time: UnixSeconds.meta({ description: 'Time of the occurrence, Unix seconds' }),
  count: z.int().meta({ description: 'Number of equal occurrences' }),
  req_id: z.string(),
  app_id: z.int(),
  log: z.string(),
  fields: z
    .record(z.string(), z.string())
    .meta({ description: 'The parts of the text: client, request, upstream ...' }),
});
export type ErrlogOccurrence = z.infer<typeof ErrlogOccurrence>;

/** Change of a group by a person. `until` requires `muted`; without it a mute never ends. */
export const ErrlogChange = z
  .object({ state: ErrlogState.optional(), until: MuteUntil.optional(), note: text(2000).optional() })
  .refine(({ state, note }) => state !== undefined || note !== undefined, { message: 'give state or note' })
  .refine(({ state, until }) => until === undefined || state === 'muted', {
    path: ['until'],
    message: 'is allowed with the state muted only',
  })
  .meta({
    examples: [{ state: 'resolved' }, { state: 'muted', until: '100x/1h', note: 'known; fixed with the next release' }],
  });
export type ErrlogChange = z.infer<typeof ErrlogChange>;

/** Change of many groups: those of `ids`, or all that match `filter`. */
export const ErrlogBulk = z
  .object({
    ids: z.array(ById.shape.id).min(1).max(10_000).optional(),
    filter: ErrlogFilter.optional(),
    state: ErrlogState,
    until: MuteUntil.optional(),
    dry_run: z.boolean().default(false).meta({ description: 'Report the result without a change' }),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), { message: 'give either ids or filter' })
  .refine(({ state, until }) => until === undefined || state === 'muted', {
    path: ['until'],
    message: 'is allowed with the state muted only',
  })
  .meta({
    examples: [
      { ids: [1], state: 'resolved' },
      { filter: { q: 'timed out', level_max: 4 }, state: 'muted', until: '7d', dry_run: true },
    ],
  });
export type ErrlogBulk = z.infer<typeof ErrlogBulk>;

/** Number of occurrences in equal steps of time. */
export const ErrlogHistogram = z.object({
  start: UnixSeconds,
  end: UnixSeconds.meta({ description: 'Exclusive' }),
  step: z.int().meta({ description: 'Seconds per bucket, whole minutes' }),
  buckets: z.array(
    z.object({
      time: UnixSeconds.meta({ description: 'Start of the bucket' }),
      count: z.int(),
      levels: z.array(z.int()).length(LEVELS.length).meta({ description: 'Occurrences by level number' }),
    }),
  ),
  partial: z.literal(true).optional().meta({ description: 'More groups match than were added up' }),
  meta: z.object(spanMeta),
});
export type ErrlogHistogram = z.infer<typeof ErrlogHistogram>;

/** Numbers of groups by value, over the groups of a filter. */
export const ErrlogFacets = z.object({
  levels: z.array(z.object({ level: Level, count: z.int() })),
  states: z.array(z.object({ state: ErrlogState, count: z.int() })),
  sources: z.array(
    z.object({ src: z.int(), name: z.string(), node_type: z.int(), node_id: z.int().nullable(), count: z.int() }),
  ),
  apps: z.array(z.object({ app_id: z.int(), count: z.int() })),
  services: z
    .array(z.object({ service: z.string(), count: z.int() }))
    .meta({ description: 'Groups without a known service are left out' }),
  partial: z.literal(true).optional().meta({ description: 'More groups match than were counted' }),
  meta: z.object(spanMeta),
});
export type ErrlogFacets = z.infer<typeof ErrlogFacets>;

/** A source of error logs. */
export const ErrlogSource = z.object({
  id: z.int(),
  node_type: z.int(),
  node_id: z.int().nullable(),
  name: z.string(),
  address: z.string(),
  created: UnixSeconds,
  groups: z.int().meta({ description: 'Groups of this source' }),
  agent_id: z.int().meta({ description: 'Agent that sends it with its own secret; 0 = none' }),
});
export type ErrlogSource = z.infer<typeof ErrlogSource>;
