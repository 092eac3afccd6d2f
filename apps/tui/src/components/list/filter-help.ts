// A page about the filter language, made from the tables of the language.
import { type FieldNames, VALUE_FORMS } from '@quarterdeck/core/filter';
import type { Line } from '../../text/lines.ts';
import { fit } from '../../text/width.ts';
import type { Dialog } from '../dialog/dialog.ts';
import { heading, paragraph } from './detail-lines.ts';

const FORMS: readonly (readonly [form: string, meaning: string])[] = [
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

/** Width of the column of forms. */
const FORM_WIDTH = 22;

const row = (form: string, meaning: string, width: number): Line[] =>
  paragraph(meaning, Math.max(1, width - FORM_WIDTH)).map(
    (line, index): Line => [{ text: fit(index === 0 ? form : '', FORM_WIDTH), tone: 'key' }, ...line],
  );

/** The page for the fields of a list; `back` is the dialog that follows it. */
export function filterHelpDialog(names: FieldNames, back?: Dialog): Dialog {
  const fields = names.listed.map((written) => {
    const name = names.canonical(written) ?? written;
    return [`${written}:`, VALUE_FORMS[names.kindOf(name) ?? 'own'].join('  ')] as const;
  });
  return {
    kind: 'text',
    title: 'The filter language',
    lines: (width) => [
      ...FORMS.flatMap(([form, meaning]) => row(form, meaning, width)),
      [],
      heading('Fields and their values'),
      ...fields.flatMap(([field, forms]) => row(field, forms, width)),
      [],
      ...paragraph('Tab completes fields and values. Quote a text that has a colon: "main.rs:42".', width, 'muted'),
    ],
    ...(back === undefined ? {} : { next: () => back }),
  };
}
