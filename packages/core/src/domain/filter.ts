// Wire form of a filter of lines.
import * as z from 'zod';
import { AGENT_FIELD_NAMES, AGENT_FIELDS } from '../filter/agent-names.ts';
import type { FieldNames } from '../filter/field-names.ts';
import { FilterError } from '../filter/filter.ts';
import { parseFilter } from '../filter/parse-filter.ts';

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

/** Text of a filter that knows these names. */
const filterText = (names?: FieldNames) =>
  z.string().superRefine((text, context) => {
    try {
      parseFilter(text, names);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      context.addIssue({ code: 'custom', message: describeFilterError(text, error) });
    }
  });

/** Filter of lines in the language of docs/reference/filter.md. */
export const FilterText = filterText().meta({
  description: 'Filter language: text, "phrases", /expressions/, field:value, OR, -term and (groups); at most 4 KiB',
  example: 'level:>=error host:web* "timed out" -client:10.9.8.7',
});

/** Filter of agents in the same language. */
export const AgentFilterText = filterText(AGENT_FIELDS).meta({
  description: `Filter language over agents: text as in \`q\`, and the fields ${AGENT_FIELD_NAMES.join(', ')} and label.NAME`,
  example: 'state:offline host:web* label.site:north -kernel:6.1*',
});
