// Invalid values for the fields of a schema.
import type { Field } from './endpoints.ts';

const VALUES: readonly [string, unknown][] = [
  ['string', 'text'],
  ['integer', 1],
  ['number', 1.5],
  ['boolean', true],
  ['array', ['text']],
  ['object', { a: 1 }],
  ['null', null],
];

/** Values that a field must refuse, by its schema. */
export function wrongValues({ required, variants }: Field): unknown[] {
  const types = variants.map(({ type }) => type);
  const isTaken = (type: string) => types.includes(type) || (type === 'integer' && types.includes('number'));
  const wrong = VALUES.filter(([type]) => !isTaken(type)).map(([, value]) => value);
  if (required) wrong.push(undefined);
  const [only] = variants.filter(({ type }) => type !== 'null');
  if (only === undefined || variants.filter(({ type }) => type !== 'null').length > 1) return wrong;
  if (only.const !== undefined || only.enum !== undefined) wrong.push('none of these', '');
  if (only.maxLength !== undefined) wrong.push('x'.repeat(only.maxLength + 1));
  if (only.minLength !== undefined && only.minLength > 0) wrong.push('');
  if (only.maximum !== undefined) wrong.push(only.maximum + 1, 1e300);
  if (only.minimum !== undefined) wrong.push(only.minimum - 1, -1e300);
  return wrong;
}

/** Unusual texts that the server must accept or refuse cleanly. */
export const HOSTILE = [
  'nul \u0000 inside',
  '\u0000',
  'lone \ud800',
  '\udfff lone',
  '\u202eright to left\u2066',
  '\u001b]0;title\u0007\u001b[2J',
  '\'; DROP TABLE "user"; --',
  '$1 $2 ? :a @b %s %n',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '{{7*7}} #{7*7} <%= 7*7 %>',
  'a\r\nX-Injected: 1',
  '\ufeff\ufffe\uffff',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  `e${'\u0301'.repeat(200)}`,
  'x'.repeat(10_000),
  '\u{1f600}'.repeat(5_000),
];

/** Copies an object with another value in one field; `undefined` removes the field. */
export function put(object: unknown, [name = '', ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  const fields = object as Record<string, unknown>;
  return { ...fields, [name]: rest.length === 0 ? value : put(fields[name] ?? {}, rest, value) };
}
