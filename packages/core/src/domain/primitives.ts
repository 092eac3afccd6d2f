// Scalars of all schemas. Query values arrive as text, body values as JSON; both forms of each scalar are defined here,
// side by side.
import * as z from 'zod';
import { INT_MAX } from '../base/integer.ts';
import { visibleName } from '../base/visible-text.ts';

const MAX_SAFE = Number.MAX_SAFE_INTEGER;

const WHOLE_NUMBER = /^[+-]?\d{1,16}$/;

/** Integer in a query or path, where it arrives as text. Anything but plain decimal is refused. */
export function queryInt(min: number, max: number = INT_MAX): z.ZodType<number, number> {
  return z.preprocess(
    (value) => (typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value),
    z.int().min(min).max(max),
  ) as unknown as z.ZodType<number, number>;
}

/** A flag in a query: `0`, `1`, `true` or `false`. */
export function queryFlag(): z.ZodType<boolean, boolean> {
  return z.preprocess((value) => {
    if (value === '1' || value === 'true' || value === 1) return true;
    if (value === '0' || value === 'false' || value === 0) return false;
    return value;
  }, z.boolean()) as unknown as z.ZodType<boolean, boolean>;
}

/** `detail` of the specification: 0 returns exactly its fields, 1 adds ours. */
export const Detail = queryInt(0, 1)
  .default(0)
  .meta({ description: 'Default 0; 1 adds fields beyond the specification' });

/** A database id in a path. */
export const PathId = queryInt(1);
/** Parameters of a path with one `{id}`. */
export const ById = z.object({ id: PathId });

/**
 * Text that can be stored: without NUL (PostgreSQL cannot hold it) and unpaired surrogates (they have no UTF-8 form).
 * `max` counts UTF-16 units.
 */
export function text(max: number): z.ZodString {
  return z
    .string()
    .max(max)
    .refine((value) => !value.includes('\u0000'), { message: 'must not contain the NUL character' })
    .refine((value) => value.isWellFormed(), { message: 'must be well-formed Unicode' });
}

/** A name that people or hosts choose, as {@link visibleName} makes it. `max` counts UTF-16 units before that. */
export const nameText = (max: number): z.ZodString => text(max).overwrite(visibleName);

/** Unix milliseconds, 0 = never. */
export const UnixMs = z.int().min(0).max(MAX_SAFE).meta({ description: 'Unix milliseconds' });
/** Whole Unix seconds. */
export const UnixSeconds = z.int().min(0).max(MAX_SAFE).meta({ description: 'Unix seconds' });
/** Unix seconds with a fraction (specification: `created`, `_created_unix`). */
export const UnixFraction = z.number().min(0).meta({ description: 'Unix seconds with fraction' });

/** Tells whether a text is a URL that requests can be sent to: http or https, without a password, not with port 0. */
export function isHttpTarget(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, port } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '' && port !== '0';
}
