// The question before a change of several things, one call for each.

import { doEach } from '../actions/each.ts';
import { plural } from '../text/format.ts';
import type { ConfirmDialog } from './question.ts';
import type { QuestionContext } from './question-context.ts';

interface EachWords<T> {
  /** `Delete`, and after the change `Deleted`. */
  readonly verb: string;
  readonly done: string;
  /** `token`, in the title `API token`. */
  readonly noun: string;
  readonly kind?: string;
  readonly name: (thing: T) => string;
}

/** Names the things and asks; in a protected profile the name, or their number, has to be typed. */
export function confirmEach<T>(
  things: readonly T[],
  { verb, done, noun, kind = noun, name }: EachWords<T>,
  { profile, refresh }: Pick<QuestionContext, 'profile' | 'refresh'>,
  act: (thing: T) => Promise<unknown>,
): ConfirmDialog {
  const [first] = things;
  const one = things.length === 1 && first !== undefined;
  return {
    kind: 'confirm',
    title: one ? `${verb} this ${kind}?` : `${verb} ${plural(things.length, kind)}?`,
    lines: things.map(name),
    yes: one ? `${verb} it` : `${verb} them`,
    typed: profile.isProtected ? (one ? name(first) : plural(things.length, noun)) : undefined,
    async run() {
      const result = await doEach(things, act, { done, noun, name });
      refresh();
      return result;
    },
  };
}
