// The body of a change: JSON from a file or from standard input, and the options that override it.
import { readSmallFile, withoutMark } from '@quarterdeck/core/small-file';
import type { Values } from '../command/command.ts';
import { given } from '../command/flags.ts';
import { fieldHint } from '../command/output-fields.ts';
import type { Fields } from '../contract/endpoint-info.ts';
import { usage } from '../process/command-error.ts';
import { type Io, readInput } from '../terminal/io.ts';

/** Reads a file, or standard input for `-`. */
export async function readFileOrInput(io: Io, name: string): Promise<string> {
  if (name === '-') return withoutMark(await readInput(io));
  try {
    return readSmallFile(name);
  } catch {
    throw usage(`${JSON.stringify(name)} cannot be read.`);
  }
}

/** Reads JSON from a file or from standard input. */
export async function readJsonFile(io: Io, name: string): Promise<unknown> {
  const text = await readFileOrInput(io, name);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw usage(`${name === '-' ? 'Standard input' : JSON.stringify(name)} is not JSON.`);
  }
}

/**
 * Returns the body with the fields that the options give. `known` are the names that it may have: those of the fields,
 * unless the endpoint has more.
 */
export async function bodyOf(
  io: Io,
  fields: Fields,
  values: Values,
  known: readonly string[] = Object.keys(fields),
): Promise<Values> {
  const name = values['body'] as string | undefined;
  const base = name === undefined ? {} : await readJsonFile(io, name);
  if (typeof base !== 'object' || base === null || Array.isArray(base)) throw usage('The body must be a JSON object.');
  const unknown = Object.keys(base).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw usage(`The body cannot have ${JSON.stringify(unknown.slice(0, 80))}. ${fieldHint(known, unknown)}`);
  }
  const body: Values = { ...base, ...given(fields, values) };
  const missing = Object.entries(fields).filter(([field, { required }]) => required && body[field] === undefined);
  if (missing.length > 0) {
    throw usage(`Required: ${missing.map(([field]) => `--${field.replaceAll('_', '-')}`).join(', ')}, or --body.`);
  }
  return body;
}
