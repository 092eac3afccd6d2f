// Changes several objects one after the other, where the API has no bulk request.

import { failureOf } from '../failures/failure.ts';
import { clean } from '../text/clean.ts';
import { plural } from '../text/format.ts';

/**
 * Runs `act` for each object; a failure does not stop the others.
 * @returns a message.
 * @throws the first error if all failed.
 */
export async function doEach<T>(
  things: readonly T[],
  act: (thing: T) => Promise<unknown>,
  words: { readonly done: string; readonly noun: string; readonly name: (thing: T) => string },
): Promise<string> {
  const failed: { name: string; error: unknown }[] = [];
  for (const thing of things) {
    try {
      await act(thing);
    } catch (error) {
      failed.push({ name: words.name(thing), error });
    }
  }
  const [first] = failed;
  if (first !== undefined && failed.length === things.length) throw first.error;
  const done = things.length - failed.length;
  const only = things[0];
  const what = things.length === 1 && only !== undefined ? clean(words.name(only)) : plural(done, words.noun);
  if (first === undefined) return `${words.done} ${what}.`;
  return `${words.done} ${what}; ${failed.length} failed: ${clean(first.name)}, ${failureOf(first.error).message}`;
}
