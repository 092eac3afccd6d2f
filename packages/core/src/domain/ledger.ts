// The ledger: lines of each source by the minute of their arrival, and where lines were lost. Wire contract section 11.
import * as z from 'zod';
import { LOSS_STAGES } from './loss-stages.ts';
import { queryInt, text, UnixSeconds } from './primitives.ts';

/** Stages of lines that are stored, but not in a group of their own or not with their whole text. */
export const STORED_STAGES = ['flood', 'cut'] as const;

/** Stage of items that Sentry's SDKs send and that are no lines, by their type. */
export type SentryStage = `sentry_${string}`;

/** Stage of lines that were stored, and lost since because their bytes were damaged. They stay in `stored`. */
export const DAMAGED_STAGE = 'damaged';

/** Lines without a stage of their own: those that are 0 are left out. */
const Stage = z.union([
  z.enum([...LOSS_STAGES, ...STORED_STAGES, DAMAGED_STAGE]),
  z.templateLiteral(['sentry_', z.string()]),
]);
const Dropped = z.partialRecord(Stage, z.int().min(0)).meta({
  description:
    'Lines by stage. rotation: files deleted or truncated before the agent read them; spool_full: the same while its ' +
    'spool was full (one for each loss). skipped: entries of the journal that the agent could not read. missing: in batches that never arrived. udp: datagrams. quota: turned away; ' +
    'a sender that repeats them loses none. refused: not readable. flood: stored in the group for too many new ' +
    'errors. cut: stored without the end of their text. damaged: stored, and lost since by a damaged disk; counted when repaired. sentry_...: items ' +
    'of envelopes of Sentry that are no lines, such as sentry_session; not in received',
});

/** Lines of a source within a minute; a line that stands for n equal ones counts n. */
export const LedgerRow = z.object({
  src: z.int().meta({ description: 'Source id; 0 = this server, also for the losses of its listeners' }),
  minute: UnixSeconds.meta({ description: 'Start of the minute in which the lines arrived, Unix seconds' }),
  read: z.int().nullable().meta({ description: 'Read by the agent; null = the sender does not number its batches' }),
  sent: z.int().nullable().meta({ description: 'In numbered batches that arrived; null as above' }),
  received: z.int().meta({ description: 'stored and refused' }),
  stored: z.int().meta({ description: 'grouped and flood' }),
  grouped: z.int().meta({ description: 'In the groups of their errors' }),
  lines_without_time: z.int().optional().meta({
    description: 'Lines whose time cannot be known: they have that of their arrival; absent = none',
  }),
  lines_without_level: z.int().optional().meta({ description: 'Lines whose level cannot be known; absent = none' }),
  dropped: Dropped,
});
export type LedgerRow = z.infer<typeof LedgerRow>;

/** Span in which lines of a source were lost. */
export const LedgerGap = z.object({
  src: z.int(),
  stage: z.enum([...LOSS_STAGES, DAMAGED_STAGE, 'down']).meta({
    description: 'As in dropped; down = no server received syslog, or the last one was killed',
  }),
  start_time: UnixSeconds,
  end_time: UnixSeconds.meta({ description: 'Inclusive' }),
  lines: z.int().nullable().meta({ description: 'As in dropped; null = unknown' }),
});
export type LedgerGap = z.infer<typeof LedgerGap>;

/** Rows of the ledger, newest minute first. */
export const LedgerPage = z.object({
  data: z.array(LedgerRow),
  meta: z.object({
    complete: z
      .boolean()
      .meta({ description: 'false: lines were lost in the span, or the ledger does not reach back to its start' }),
    gaps: z.array(LedgerGap).meta({ description: 'Oldest first' }),
    more: z.literal(true).optional().meta({ description: 'There are more rows or gaps: narrow the span' }),
  }),
});
export type LedgerPage = z.infer<typeof LedgerPage>;

/** Parameters of the ledger; both ends of the span are included. */
export const ledgerQuery = {
  src: queryInt(0).optional().meta({ description: 'Source id' }),
  start_time: queryInt(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'From, Unix seconds' }),
  end_time: queryInt(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'Up to, Unix seconds' }),
};

/** Reason of an empty answer, as members of its `meta`. */
export const whyEmpty = {
  why_empty: z
    .enum(['no_such_source', 'silent', 'filtered_out', 'expired'])
    .optional()
    .meta({
      description:
        'Of an empty answer. silent: the sources have no lines in the span; filtered_out: they have, but none matches; ' +
        'expired: retention has removed them',
    }),
  silent_since: UnixSeconds.optional().meta({ description: 'With silent: time of the last line before the span' }),
};
export type WhyEmpty = z.infer<z.ZodObject<typeof whyEmpty>>;

/** Times of lines that an answer lacks because their bytes are damaged; `complete` is false then. */
export const damaged = {
  damaged: z
    .array(z.object({ from: UnixSeconds, to: UnixSeconds.meta({ description: 'Inclusive' }) }))
    .optional()
    .meta({ description: 'Times of lines that are missing because the stored bytes are damaged' }),
};

/** Members of the `meta` of an answer about lines or errors in a span: whether it has them all, and why it has none. */
export const spanMeta = {
  complete: z.boolean().meta({
    description: 'false: the time of a search ran out before all lines were seen, or lines were lost in the span',
  }),
  ...damaged,
  ...whyEmpty,
};
export type SpanMeta = z.infer<z.ZodObject<typeof spanMeta>>;

/** Most lines that an agent can count in one spool. */
const LINES_MAX = 1_000_000_000_000;
const Total = z.int().min(0).max(LINES_MAX);

/** Header of a numbered batch: {@link BatchNumbers} as JSON. */
export const BATCH_HEADER = 'quarterdeck-batch';

/** Numbers of a batch of an agent; `read` and `dropped` are sums over its spool, up to this batch. */
export const BatchNumbers = z.object({
  spool: text(64).min(1).meta({ description: 'Id of the spool' }),
  number: Total.min(1).meta({ description: 'From 1, without a gap' }),
  read: Total.meta({ description: 'Lines in all batches up to this one' }),
  dropped: z.object({ rotation: Total.default(0), spool_full: Total.default(0), skipped: Total.default(0) }),
  lines_without_time: Total.optional().meta({ description: 'Lines of this batch without a known time' }),
  lines_without_level: Total.optional().meta({ description: 'Lines of this batch without a known level' }),
});
export type BatchNumbers = z.infer<typeof BatchNumbers>;
