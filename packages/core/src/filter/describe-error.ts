import type { FilterError } from './filter.ts';

/** Number of characters of the filter that a message repeats. */
const SNIPPET_MAX = 40;

/** Describes the refusal of a filter: the place, the reason, and what is allowed there. */
export function describeFilterError(text: string, error: FilterError): string {
  const { position, length, expected } = error;
  const refused = text.slice(position, position + Math.min(length, SNIPPET_MAX)).toWellFormed();
  const near = refused === '' ? '' : ` (${JSON.stringify(refused)})`;
  const allowed = expected.length === 0 ? '' : ` Allowed: ${expected.join(', ')}.`;
  return `at character ${position + 1}${near}: ${error.message}${allowed}`;
}
