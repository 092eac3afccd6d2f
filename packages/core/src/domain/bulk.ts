// Changes of many objects at once: wire contract section 10.
import * as z from 'zod';
import { queryFlag } from './primitives.ts';

/** Result of a change of many: the numbers of matched and changed ones, and the reasons for the others. */
export const BulkResult = z.object({
  matched: z.int(),
  done: z.int().meta({ description: '0 with dry_run' }),
  failed: z.array(z.object({ id: z.int(), msg: z.string() })),
});
export type BulkResult = z.infer<typeof BulkResult>;

/**
 * Query of a change of many. It accepts `dry_run` as the intake does: a dry run requested there must not be executed.
 */
export const BulkQuery = z.object({
  dry_run: queryFlag().default(false).meta({ description: 'Same as in the body' }),
});
