// The text in the place of a list whose rows are all hidden. Pure.
import { grouped } from '@quarterdeck/views/text';

/** `3 hidden by /zzz and [viewer]; Esc clears`. Without a number, no row is known. */
export function hiddenText(
  hidden: { readonly count: number | undefined; readonly noun: string },
  by: readonly string[],
  key: string | undefined,
): string {
  const { count, noun } = hidden;
  const reasons = by.length < 2 ? by.join('') : `${by.slice(0, -1).join(', ')} and ${by.at(-1)}`;
  const what = count === undefined ? `No ${noun} matches ${reasons}` : `${grouped(count)} hidden by ${reasons}`;
  return `${what}${key === undefined ? '' : `; ${key} clears`}.`;
}
