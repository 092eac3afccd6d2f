// Changes of many things at once: wire contract section 10.
import { z } from 'zod';
import { queryFlag } from './primitives.ts';

/** What became of a change of many: how many it was about, how many were changed, and why others were not. */
export const BulkResult = z.object({
  matched: z.int(),
  done: z.int().meta({ description: '0 with dry_run' }),
  failed: z.array(z.object({ id: z.int(), msg: z.string() })),
});
export type BulkResult = z.infer<typeof BulkResult>;

/** A change of many takes `dry_run` in the query too, where the intake has it: asked there, it must not be done in earnest. */
export const BulkQuery = z.object({
  dry_run: queryFlag().default(false).meta({ description: 'The same as in the body' }),
});
