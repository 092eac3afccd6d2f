// Finds the words that complete a command line. The scripts of the shells call it.
import { defaultFolders } from '@quarterdeck/tui/profiles';
import { readProfiles } from '../account/profiles.ts';
import { type Command, type Entries, type Entry, isNoun, optionName } from '../command/command.ts';
import { type Io, write } from '../terminal/io.ts';
import { SHELLS } from './shells.ts';

/** A word, and its meaning. */
interface Candidate {
  readonly word: string;
  readonly about: string;
}

const named = (words: readonly string[], about = ''): Candidate[] => words.map((word) => ({ word, about }));
const entriesOf = (table: Readonly<Record<string, { readonly about: string }>>): Candidate[] =>
  Object.entries(table).map(([word, { about }]) => ({ word, about }));

/** Prints the candidates for the last of the words, in the form of a shell. */
export async function runComplete(
  entries: Entries,
  [shell = '', ...words]: readonly string[],
  { stdout }: Pick<Io, 'stdout'>,
): Promise<number> {
  const lines = candidates(entries, words, () => readProfiles(defaultFolders()).all.map(({ name }) => name)).map(
    ({ word, about }) => {
      if (shell === 'fish') return `${word}\t${about}\n`;
      return shell === 'zsh' ? `${word.replaceAll(':', '\\:')}:${about}\n` : `${word}\n`;
    },
  );
  await write(stdout, lines.join(''));
  return 0;
}

/** Returns the candidates for the last word. */
export function candidates(
  entries: Entries,
  words: readonly string[],
  profileNames: () => readonly string[],
): Candidate[] {
  const partial = words.at(-1) ?? '';
  return possible(entries, words.slice(0, -1), partial, profileNames).filter(({ word }) => word.startsWith(partial));
}

function possible(
  entries: Entries,
  before: readonly string[],
  partial: string,
  profileNames: () => readonly string[],
): Candidate[] {
  const [noun, verb] = before;
  if (noun === undefined) return entriesOf(entries);
  const entry: Entry | undefined = Object.hasOwn(entries, noun) ? entries[noun] : undefined;
  if (entry === undefined) return [];
  if (!isNoun(entry)) return ofCommand(entry, noun, before, partial, profileNames);
  if (verb === undefined && !partial.startsWith('-')) return entriesOf(entry.verbs);
  const command = entry.verbs[verb === undefined || verb.startsWith('-') ? (entry.fallback ?? '') : verb];
  return command === undefined ? [] : ofCommand(command, `${noun} ${verb ?? ''}`, before, partial, profileNames);
}

function ofCommand(
  { flags, list }: Command,
  path: string,
  before: readonly string[],
  partial: string,
  profileNames: () => readonly string[],
): Candidate[] {
  const last = before.at(-1) ?? '';
  const open = flags.find(
    ({ name, short, type }) => type !== 'flag' && (last === optionName(name) || last === `-${short}`),
  );
  if (open?.name === 'columns') return named(list?.columns ?? []);
  if (open !== undefined) return named(open.name === 'profile' ? profileNames() : (open.values ?? []));
  if (partial.startsWith('-')) return flags.map(({ name, about = '' }) => ({ word: optionName(name), about }));
  if (path === 'completion') return named(SHELLS);
  if (path === 'profile use' || path === 'profile remove') return named(profileNames());
  return [];
}
