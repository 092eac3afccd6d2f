// The body of a change: JSON from a file or from standard input, and the options that override it.
import { readFileSync } from 'node:fs';
import type { Values } from '../command.ts';
import { usage } from '../command-error.ts';
import type { Fields } from '../endpoint-info.ts';
import { given } from '../flags.ts';
import { type Io, readInput } from '../terminal/io.ts';

/** Reads a file, or standard input for `-`. */
export async function readFileOrInput(io: Io, name: string): Promise<string> {
  if (name === '-') return readInput(io);
  try {
    return readFileSync(name, 'utf8');
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

/** Returns the body with the fields that the options give. */
export async function bodyOf(io: Io, fields: Fields, values: Values): Promise<Values> {
  const name = values['body'] as string | undefined;
  const base = name === undefined ? {} : await readJsonFile(io, name);
  if (typeof base !== 'object' || base === null || Array.isArray(base)) throw usage('The body must be a JSON object.');
  const body: Values = { ...base, ...given(fields, values) };
  const missing = Object.entries(fields).filter(([field, { required }]) => required && body[field] === undefined);
  if (missing.length > 0) {
    throw usage(`Required: ${missing.map(([field]) => `--${field.replaceAll('_', '-')}`).join(', ')}, or --body.`);
  }
  return body;
}
