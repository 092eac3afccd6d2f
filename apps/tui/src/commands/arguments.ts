// What was typed behind a command, looked at before anything goes by it: a filter that nobody knows must not look as if
// everything matched it. Pure.
import { clean } from '../text/clean.ts';

/** The arguments that a screen knows, each with whether a value can be read. */
export type KnownArguments = Readonly<Record<string, (value: string) => boolean>>;

/** Any value will do. */
export const anyValue = (): boolean => true;

/** A number without a sign. */
export const isNumber = (value: string): boolean => /^\d{1,9}$/.test(value);

/** What is wrong with the arguments, in a sentence; null where nothing is. */
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
