// Completes names and values of fields in a filter. Pure.
import { type FieldNames, formatName, formatValue, LEVEL_NAMES, VALUE_FORMS } from '@quarterdeck/core/filter';
import { grouped } from '../text/format.ts';
import type { Completion, Counted, Suggestion } from './completion.ts';

/** Names and values of the rows that a filter is for. */
export interface FilterSource {
  readonly names: FieldNames;
  /** Reads the names of fields beyond those that the language knows. */
  readonly readNames?: (signal: AbortSignal) => Promise<Counted>;
  /** Counts the values of a field, or reads those that begin with a text. */
  readonly values: (name: string) => Counted | ((begun: string, signal: AbortSignal) => Promise<Counted>);
}

/** Reads names once; an aborted read is repeated. */
export function withKnownNames(source: FilterSource): FilterSource {
  const { readNames } = source;
  if (readNames === undefined) return source;
  let known: Counted | undefined;
  return {
    ...source,
    async readNames(signal) {
      known ??= await readNames(signal);
      return known;
    },
  };
}

const AGES = ['15m', '1h', '24h', '7d', '30d'];
const NAME = /^(?:[A-Za-z_@][\w.-]*|"(?:[^"\\]|\\.)*"):/;
const OPERATOR = /^[<>]=?/;

/** Start of the last word outside of quotes. */
function lastWord(text: string): number {
  let from = 0;
  let inQuotes = false;
  for (let at = 0; at < text.length; at += 1) {
    const next = text.charAt(at);
    if (inQuotes && next === '\\') at += 1;
    else if (next === '"') inQuotes = !inQuotes;
    else if (!inQuotes && /[\s(]/.test(next)) from = at + 1;
  }
  return text.charAt(from) === '-' ? from + 1 : from;
}

const startsWith = (text: string, begun: string): boolean => text.toLowerCase().startsWith(begun.toLowerCase());

/** Completes the last word of `text`; null where nothing can be completed. */
export function suggestFilter(text: string, source: FilterSource): Suggestion | null {
  const from = lastWord(text);
  const word = text.slice(from);
  const written = NAME.exec(word)?.[0];
  if (written === undefined) return suggestName(word, from, source);
  const name = source.names.canonical(unquoted(written.slice(0, -1)));
  if (name === undefined) return null;
  const value = word.slice(written.length);
  const item = value.slice(value.lastIndexOf(',') + 1);
  const operator = OPERATOR.exec(item)?.[0] ?? '';
  const begun = unquoted(item.slice(operator.length));
  const valueFrom = text.length - item.length + operator.length;
  return suggestValue(name, begun, valueFrom, operator !== '', source);
}

const unquoted = (text: string): string => text.replaceAll(/^"|"$/g, '');

function suggestName(word: string, from: number, { names, readNames }: FilterSource): Suggestion | null {
  // Names are many; without a beginning they are shown on demand.
  const isQuiet = word === '';
  if (!isQuiet && !/^[A-Za-z_@][\w.-]*$/.test(word)) return null;
  const known = names.listed.filter((name) => startsWith(name, word)).map((name) => nameCompletion(name, names));
  if (isQuiet || readNames === undefined) return { from, completions: known, isQuiet };
  const read = async (signal: AbortSignal): Promise<readonly Completion[]> => {
    const fields = (await readNames(signal)).filter(({ value }) => startsWith(value, word));
    return [
      ...known,
      ...fields.map(({ value, count }) => ({
        text: `${formatName(names.canonical(value) ?? value, names)}:`,
        note: grouped(count),
      })),
    ];
  };
  return { from, completions: known, read };
}

function nameCompletion(written: string, names: FieldNames): Completion {
  const name = names.canonical(written) ?? written;
  const forms = VALUE_FORMS[names.kindOf(name) ?? 'own'];
  return { text: `${formatName(name, names)}:`, note: forms.slice(0, 3).join(' ') };
}

function suggestValue(
  name: string,
  begun: string,
  from: number,
  isCompared: boolean,
  { names, values }: FilterSource,
): Suggestion | null {
  const kind = names.kindOf(name);
  const plain = (texts: readonly string[]): Suggestion => ({
    from,
    completions: texts.filter((text) => startsWith(text, begun)).map((text) => ({ text, note: '' })),
  });
  if (kind === 'time') return plain(AGES);
  if (kind === 'moment') return plain(isCompared ? AGES : AGES.map((age) => `>=${age}`));
  if (kind === 'level' && isCompared) return plain(LEVEL_NAMES);
  if (isCompared) return null;
  const complete = (counted: Counted): Completion[] =>
    counted
      .filter(({ value }) => value !== '' && startsWith(value, begun))
      .map(({ value, count }) => ({ text: formatValue(value), note: grouped(count) }));
  const known = values(name);
  if (typeof known !== 'function') return { from, completions: complete(known) };
  return { from, completions: [], read: async (signal) => complete(await known(begun, signal)) };
}
