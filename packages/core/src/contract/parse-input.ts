// Parses input by the schemas of an endpoint. A refusal names every invalid field.
import type * as z from 'zod';
import { AppError, type FieldIssue } from '../base/errors.ts';
import { plainMessage } from '../base/issues.ts';
import type { Endpoint } from './endpoint.ts';
import { checkUnknownInput } from './unknown-input.ts';

/** The parts of a request that an endpoint can declare. */
export interface RawInput {
  readonly params: unknown;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

const PLAINLY = { error: plainMessage };

/**
 * In the query of a read, an empty value is the same as none (specification 4.5), except a cursor: empty, it begins a
 * read. In that of a change it is a value, which no schema of them takes: `?dry_run` must not execute.
 */
function withoutEmpty({ method }: Endpoint, query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (method !== 'GET') return query;
  // Without a prototype, `__proto__` is an ordinary name.
  const kept: Record<string, unknown> = Object.create(null);
  for (const name in query) if (query[name] !== '' || name === 'cursor') kept[name] = query[name];
  return kept;
}

/**
 * Parses params, query and body by the endpoint's schemas. `onIgnored` is called with the names of unknown fields and
 * parameters that the endpoint ignores, before the input is validated.
 *
 * @throws AppError `unknown_field`, else `validation_failed` with all issues of all three
 */
export function parseInput(
  endpoint: Endpoint,
  raw: RawInput,
  onIgnored?: (names: readonly string[]) => void,
): Record<string, unknown> {
  const ignored = checkUnknownInput(endpoint, raw);
  if (ignored.length > 0) onIgnored?.(ignored);
  const parsed: Record<string, unknown> = {};
  const fields: FieldIssue[] = [];
  const read = (slot: 'params' | 'query' | 'body', schema: z.ZodType | undefined, value: unknown) => {
    if (schema === undefined) return;
    const result = schema.safeParse(value, PLAINLY);
    if (result.success) parsed[slot] = result.data;
    else for (const { path, message } of result.error.issues) fields.push({ path: [slot, ...path].join('.'), message });
  };
  read('params', endpoint.params, raw.params);
  read('query', endpoint.query, endpoint.query && withoutEmpty(endpoint, raw.query));
  // The intake parses lines one by one, and reports the errors of each.
  if (endpoint.consumes === 'lines') parsed['body'] = raw.body;
  else read('body', endpoint.body, raw.body);
  if (fields.length > 0) {
    const [first] = fields;
    throw new AppError('validation_failed', { message: `${first?.path}: ${first?.message}`, fields });
  }
  return parsed;
}
