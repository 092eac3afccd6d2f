import { PASSWORD_LENGTH } from '@quarterdeck/core/plain';
import type { Problem, Values } from '../questions/question.ts';

/** The problem of a password that is entered twice. */
export function checkPassword({ password = '', again = '' }: Values, hasSecondFactor: boolean): Problem | null {
  const least = hasSecondFactor ? PASSWORD_LENGTH.minWithSecondFactor : PASSWORD_LENGTH.min;
  if ([...password].length < least) return { field: 'password', text: `At least ${least} characters.` };
  return password === again ? null : { field: 'again', text: 'The passwords do not match.' };
}
