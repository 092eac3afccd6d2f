// Wire form of a filter of lines.
import * as z from 'zod';
import { AGENT_FIELD_NAMES, AGENT_FIELDS } from '../filter/agent-names.ts';
import { describeFilterError } from '../filter/describe-error.ts';
import type { FieldNames } from '../filter/field-names.ts';
import { FilterError } from '../filter/filter.ts';
import { parseFilter } from '../filter/parse-filter.ts';

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
