// The filter language in a table of forms, for a page of help. Pure.
import { type FieldNames, VALUE_FORMS } from '@quarterdeck/core/filter';

/** A form, and its meaning. */
export type FilterForm = readonly [form: string, meaning: string];

/** The forms of the language. */
export const FILTER_FORMS: readonly FilterForm[] = [
  ['timeout upstream', 'both texts; ASCII letters in any case'],
  ['timeout OR refused', 'at least one of them'],
  ['"timed out"', 'a text with blanks or signs'],
  ['-debug', 'leaves out what has the text'],
  ['NOT (cron OR backup)', 'none of these'],
  ['/timed? out/', 'a regular expression (RE2); /i ignores case'],
  ['field:value', 'the whole value of a field, in any case'],
  ['field:a,b', 'one of these values'],
  ['field:web*', 'a value that begins with web'],
  ['field:>=500', 'a number; also >, <=, < and 1..9'],
  ['field:/^web/', 'a value that matches an expression'],
  ['field:*', 'has any value; -field:* has none'],
];

/** The fields of a list, each with the forms of its values. */
export function fieldForms(names: FieldNames): FilterForm[] {
  return names.listed.map((written) => {
    const name = names.canonical(written) ?? written;
    return [`${written}:`, VALUE_FORMS[names.kindOf(name) ?? 'own'].join('  ')] as const;
  });
}
