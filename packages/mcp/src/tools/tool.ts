// The form of a tool, and arguments that several tools have.
import type { Client } from '@quarterdeck/sdk';
import { z } from 'zod';
import type { Findings } from './answer.ts';
import type { Confirmations } from './confirmations.ts';

/** Surroundings of a call of a tool. */
export interface ToolContext {
  readonly client: Client;
  /** Identifies the caller; a confirmation is valid for its caller alone. */
  readonly caller: string;
  readonly confirmations: Confirmations;
  /** Aborted when the caller cancels the call. */
  readonly signal: AbortSignal;
}

export interface Tool<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Arguments, with the names and schemas of the API. They are sent as they came. */
  readonly input: Schema;
  /** Changes something; offered only where changes are allowed. */
  readonly changes?: true;
  run(context: ToolContext, args: z.input<Schema>): Promise<Findings>;
}

/** Declares a tool; checks its arguments against its schema. */
export const defineTool = <Schema extends z.ZodType>(tool: Tool<Schema>): Tool => tool as unknown as Tool;

const LIMIT_DEFAULT = 20;
/** With more rows, each would have too few characters. */
const LIMIT_MAX = 50;

/** Number of rows. */
export const limit = z
  .int()
  .min(1)
  .max(LIMIT_MAX)
  .optional()
  .meta({ description: `Rows; default ${LIMIT_DEFAULT}` });

/** Paging of the lists that have pages. */
export const paging = {
  limit,
  page: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ description: 'From 1; `next` of an answer names the next one' }),
};

/** Splits the paging from the other arguments, and applies its defaults. */
export function splitPaging<A extends { limit?: number | undefined; page?: number | undefined }>(args: A) {
  const { limit: rows = LIMIT_DEFAULT, page = 1, ...filters } = args;
  return { limit: rows, page, filters };
}

/** The page after this one as arguments; undefined when this one is the last. */
export const nextPage = (count: number, { limit: rows, page }: { limit: number; page: number }) =>
  page * rows < count ? { page: page + 1 } : undefined;

/** Puts the long texts of a row last, so that a cut leaves its other members whole. */
export function textLast<R extends { log?: unknown; fields?: unknown; log_in_range?: unknown }>(row: R): object {
  const { log, log_in_range, fields, ...rest } = row;
  return { ...rest, log, log_in_range, fields };
}
