// Validation messages for people, because those of zod ("expected number, received undefined") are for programmers.
// Each can follow the name of its field.
import type * as z from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  number: 'a whole number',
  int: 'a whole number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

/** Describes a bound of a number, or of the length of a text or list. */
function boundMessage(origin: string, bound: number | bigint, atLeast: boolean): string | undefined {
  if (origin === 'number' || origin === 'int') return `must be ${bound} or ${atLeast ? 'more' : 'less'}`;
  const unit = UNITS[origin];
  if (unit === undefined) return undefined;
  if (atLeast && bound === 1) return 'must not be empty';
  return `must have ${atLeast ? 'at least' : 'at most'} ${bound}${unit}`;
}

/** Message of an issue whose schema has none; pass it to `safeParse` as `error`. */
export const plainMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.input === undefined) return 'is missing';
      const kind = KINDS[issue.expected];
      return kind === undefined ? undefined : `must be ${kind}`;
    }
    case 'too_small':
      return boundMessage(issue.origin, issue.minimum, true);
    case 'too_big':
      return boundMessage(issue.origin, issue.maximum, false);
    case 'invalid_value':
      if (issue.input === undefined) return 'is missing';
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'invalid_key':
      return issue.issues[0]?.message;
    case 'unrecognized_keys':
      return `has no ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    default:
      return undefined;
  }
};
