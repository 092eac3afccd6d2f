import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalFieldName, FILTER_NAMES, fieldOfLine, nameOfField } from './field-names.ts';

it('names every field of a line so that the name is canonical and leads back to the field', () => {
  const part = fc.constantFrom('fields.', 'host', 'Host', 'app_id', 'client', '.', '');
  const field = fc.array(part, { maxLength: 3 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(field, (name) => {
      expect(fieldOfLine(nameOfField(name))).toBe(name);
      expect(canonicalFieldName(nameOfField(name))).toBe(nameOfField(name));
    }),
  );
});

it('takes known names for no field of the line', () => {
  expect(FILTER_NAMES.map(fieldOfLine)).toEqual(FILTER_NAMES.map(() => undefined));
  expect(['HOST', 'app_id', 'fields.client', 'fields.host'].map(canonicalFieldName)).toEqual([
    'host',
    'app',
    'client',
    'fields.host',
  ]);
});
