// Turns values of JSON into fields, the way OpenTelemetry's collectors flatten them.
import { type FieldSet, MAX_FIELD_NAME } from './line-fields.ts';

/** Depth from which a nested object stays JSON. */
const MAX_DEPTH = 8;

/**
 * Adds a value of JSON: a number or boolean as its text, the members of an object by names with dots, a list as JSON.
 * `null` is no value.
 */
export function addJsonField(fields: FieldSet, name: string, value: unknown, depth = 0): void {
  if (typeof value === 'string') fields.add(name, value);
  else if (value === undefined || value === null) return;
  else if (typeof value === 'number') addNumber(fields, name, value);
  else if (typeof value !== 'object') fields.add(name, String(value));
  else if (Array.isArray(value) || depth >= MAX_DEPTH || name.length > MAX_FIELD_NAME) {
    fields.add(name, JSON.stringify(value));
  } else {
    const members = value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(members)) addJsonField(fields, `${name}.${key}`, members[key], depth + 1);
  }
}

function addNumber(fields: FieldSet, name: string, value: number): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) fields.lose(name, 'The number is too large to be exact');
  fields.add(name, String(value));
}
