// One change to several things, one after the other: what the API has no call for.
import { clean } from '../text/clean.ts';
import { plural } from '../text/format.ts';
import { failureOf } from './failure.ts';

/**
 * Does it to each of them; those that fail do not keep the others from being done.
 * @returns what to say, as a sentence.
 * @throws where none of them worked.
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
