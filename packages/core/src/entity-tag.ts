// Comparison of entity tags (RFC 9110, section 8.8.3). Our tags name a state of an object, not the bytes of an answer:
// a proxy that compresses the answer weakens the tag or adds a suffix to it, and the state is still the same.
import { AppError } from './base/errors.ts';

const TAG = '(?:W/)?"([\\x21\\x23-\\x7e\\x80-\\xff]*)"';
const LIST = new RegExp(`^[ \\t,]*${TAG}([ \\t]*,[ \\t,]*${TAG})*[ \\t,]*$`);
const TAGS = new RegExp(TAG, 'g');

/**
 * Tells whether the value of `If-Match` or `If-None-Match` names the tag of an existing object. `*` names any. `W/` and
 * a suffix that begins with `-` or `;` inside the quotes are ignored.
 *
 * @throws AppError `bad_request` for a malformed value; `header` is the name for its message
 */
export function namesTag(header: 'If-Match' | 'If-None-Match', value: string, tag: string): boolean {
  if (value.trim() === '*') return true;
  if (!LIST.test(value)) {
    throw new AppError('bad_request', { message: `${header} must be * or a list of entity tags in double quotes.` });
  }
  const state = tag.slice(1, -1);
  // The states of tags have dashes too, so a suffix can be found only by what comes before it.
  return [...value.matchAll(TAGS)].some(
    ([, text = '']) => text.startsWith(state) && /^(?:[-;]|$)/.test(text.slice(state.length)),
  );
}
