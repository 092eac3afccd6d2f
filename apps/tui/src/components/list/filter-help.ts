// A page about the filter language, made from the tables of the language.
import type { FieldNames } from '@quarterdeck/core/filter';
import { FILTER_FORMS, fieldForms } from '@quarterdeck/views/filters';
import type { Dialog } from '../../context/dialog.ts';
import { fit } from '../../text/width.ts';
import type { Line } from '../../theme/lines.ts';
import { heading, paragraph } from './detail-lines.ts';

/** Width of the column of forms. */
const FORM_WIDTH = 22;

const row = (form: string, meaning: string, width: number): Line[] =>
  paragraph(meaning, Math.max(1, width - FORM_WIDTH)).map(
    (line, index): Line => [{ text: fit(index === 0 ? form : '', FORM_WIDTH), tone: 'key' }, ...line],
  );

/** The page for the fields of a list; `back` is the dialog that follows it. */
export function filterHelpDialog(names: FieldNames, back?: Dialog): Dialog {
  const fields = fieldForms(names);
  return {
    kind: 'text',
    title: 'The filter language',
    lines: (width) => [
      ...FILTER_FORMS.flatMap(([form, meaning]) => row(form, meaning, width)),
      [],
      heading('Fields and their values'),
      ...fields.flatMap(([field, forms]) => row(field, forms, width)),
      [],
      ...paragraph('Tab completes fields and values. Quote a text that has a colon: "main.rs:42".', width, 'muted'),
    ],
    ...(back === undefined ? {} : { next: () => back }),
  };
}
