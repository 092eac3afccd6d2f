// Error logs: an entry is a group of equal errors from one source (specification 2.3, wire contract section 6).
import { z } from 'zod';
import { LEVELS } from './level.ts';
import { queryInt, text, UnixSeconds } from './primitives.ts';

const LEVEL_MAX = LEVELS.length - 1;

/** A group of equal errors. The fields after `log` come with `detail=1`. */
export const ErrlogEntry = z.object({
  id: z.int(),
  level: z.int().min(0).max(LEVEL_MAX),
  count: z.int().meta({ description: 'How often it happened, ever' }),
  src: z.int().meta({ description: 'Source id; 0 = this server' }),
  log_time: UnixSeconds.meta({ description: 'When it last happened, Unix seconds' }),
  log: z.string().meta({ description: 'Text of the latest occurrence' }),
  first_seen: UnixSeconds.optional(),
  state: z.string().optional(),
  app_id: z.int().optional(),
  node_type: z.int().optional(),
  node_id: z.int().nullable().optional(),
  source: z.string().optional().meta({ description: 'Name of the source' }),
});
export type ErrlogEntry = z.infer<typeof ErrlogEntry>;

/** Request ids are text; an integer is its decimal text. */
const ReqId = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), text(128)) as z.ZodType<
  string,
  string | number
>;

/** What the error-log list can be narrowed by. */
export const errlogFilters = {
  node_id: queryInt(0).optional(),
  node_type: queryInt(0, 2).optional().meta({ description: '0 global, 1 admin site, 2 log server' }),
  level: queryInt(0, LEVEL_MAX).optional().meta({ description: 'This level exactly' }),
  level_max: queryInt(0, LEVEL_MAX).optional().meta({ description: 'This level or more severe' }),
  app_id: queryInt(0).optional(),
  req_id: ReqId.optional().meta({ description: 'Groups with an occurrence of this request id' }),
  src: queryInt(0).optional().meta({ description: 'Source id' }),
  start_time: queryInt(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'log_time from, Unix seconds' }),
  end_time: queryInt(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'log_time up to, Unix seconds' }),
};

/** One line sent to the intake. `level` is a number or a name of the table, in any case. */
export const ErrlogLine = z.object({
  level: z.union([z.int().min(0).max(LEVEL_MAX), z.string()]),
  log: z.string(),
  log_time: UnixSeconds.nullish(),
  app_id: z.int().min(0).nullish(),
  req_id: z.union([z.string(), z.int()]).nullish(),
  node_type: z.int().min(0).max(2).nullish(),
  node_id: z.int().min(0).nullish(),
  count: z.int().min(1).nullish(),
});
export type ErrlogLine = z.infer<typeof ErrlogLine>;

/** What became of a batch: how many lines are stored, and which could not be read, by their place in the batch. */
export const ErrlogReceipt = z.object({
  accepted: z.int(),
  refused: z.array(z.object({ index: z.int(), message: z.string() })),
});
export type ErrlogReceipt = z.infer<typeof ErrlogReceipt>;
