// Wire form of a filter of lines.
import * as z from 'zod';
import { AGENT_FIELD_NAMES, AGENT_FIELDS } from '../filter/agent-names.ts';
import { describeFilterError } from '../filter/describe-error.ts';
import type { FieldNames } from '../filter/field-names.ts';
import { FilterError } from '../filter/filter.ts';
import { parseFilter } from '../filter/parse-filter.ts';
import { parseSourceFilter } from '../filter/source-names.ts';

/** Text of a filter that knows these names. */
const filterText = (names?: FieldNames) => readableText((text) => parseFilter(text, names));

/** Text that a parser of filters can read. */
const readableText = (parse: (text: string) => unknown) =>
  z.string().superRefine((text, context) => {
    try {
      parse(text);
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

/** Filter of the sources that a user or an API token may see; empty is all (wire contract, section 12). */
export const SourceFilterText = readableText(parseSourceFilter).meta({
  description:
    'Sources that may be seen, in the filter language over host:, service: and label:key=value; empty is all. ' +
    'Everything about errors, lines, agents and alerts is narrowed to them',
  example: 'label:tenant=north -service:payments',
});
