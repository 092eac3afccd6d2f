// Checks the arguments of a command before they are applied. An unknown filter must not look as if everything
// matched it. Pure.
import { clean } from '../text/clean.ts';

/** The arguments of a screen, each with a check of its value. */
export type KnownArguments = Readonly<Record<string, (value: string) => boolean>>;

export const anyValue = (): boolean => true;

/** A number without a sign. */
export const isNumber = (value: string): boolean => /^\d{1,9}$/.test(value);

/** The id of a row. */
export const isId = (value: string): boolean => /^\d{1,15}$/.test(value);

/** The problem of the arguments in a sentence; null without one. */
export function argumentsProblem(args: Readonly<Record<string, string>>, known: KnownArguments): string | null {
  for (const [name, value] of Object.entries(args)) {
    const isReadable = Object.hasOwn(known, name) ? known[name] : undefined;
    if (isReadable === undefined) {
      const names = Object.keys(known).join(', ');
      return `Unknown filter: ${clean(name)}.${names === '' ? '' : ` Filters: ${names}.`}`;
    }
    if (!isReadable(value)) return value === '' ? `${name} needs a value.` : `Invalid ${name}: ${clean(value)}.`;
  }
  return null;
}
