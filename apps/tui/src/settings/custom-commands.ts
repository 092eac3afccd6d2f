// Custom commands: programs of the user, with fields of the selected row as arguments. Read from [[commands]].

import type { Binding } from '@quarterdeck/views/keys';
import { SCREENS, type Screen } from '../commands/navigation.ts';
import { ALIASES, SCREEN_OF } from '../commands/parse.ts';
import { isField, splitWords } from '../commands/words.ts';
import { bindingsOf, KEYMAP, type Place, type Rebound } from '../keys/keymap.ts';
import type { TableProblem } from '../profiles/profile.ts';

/** A program of the user. */
export interface CustomCommand {
  readonly name: string;
  /** The command's name on the command line. */
  readonly word: string;
  readonly keys: readonly string[];
  /** The program and its arguments; they may contain fields such as `{hostname}`. */
  readonly words: readonly string[];
  /** Screens that offer it; null for all. */
  readonly screens: readonly Screen[] | null;
  /** Asks before it runs. */
  readonly confirm: boolean;
  /** Runs without the terminal. */
  readonly background: boolean;
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u;
const NAMED_KEYS =
  'up|down|left|right|home|end|insert|delete|pageup|pagedown|enter|tab|escape|backspace|space|f\\d{1,2}';
/** Keys of a chord, separated by single blanks. */
const CHORD = new RegExp(`^(?:(?:^| )(?:ctrl\\+)?(?:alt\\+)?(?:shift\\+)?(?:${NAMED_KEYS}|[^\\s\\p{Cc}]))+$`, 'u');
const KEYS = ['key', 'name', 'command', 'screens', 'confirm', 'background'];

/** Words of the command line that are not free. */
const TAKEN_WORDS: ReadonlySet<string> = new Set([
  ...Object.values<Readonly<Record<string, Binding>>>(KEYMAP).flatMap((commands) =>
    Object.values(commands).flatMap(({ word }) => word ?? []),
  ),
  ...Object.keys(ALIASES),
  'theme',
  'use',
]);

type Table = Readonly<Record<string, unknown>>;

/** Returns whether one key hides the other, also as the beginning of a chord. */
const collides = (a: string, b: string): boolean => a === b || a.startsWith(`${b} `) || b.startsWith(`${a} `);

/** Finds what a key does already on one of the screens. */
function takerOf(key: string, screens: readonly Screen[], rebound: Rebound): string | undefined {
  const places: readonly Place[] = [...screens, 'app', 'root'];
  const bindings = places.flatMap((place) => bindingsOf(place, rebound));
  return bindings.find(([, { keys }]) => keys.some((other) => collides(other, key)))?.[1].help;
}

/** Reports a problem with a key of the table, or with the table as a whole. */
type ReportProblem = (key: string | null, text: string) => void;

const wordOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

function readName(value: unknown, before: readonly CustomCommand[], report: ReportProblem): string | null {
  if (typeof value !== 'string' || !NAME.test(value)) {
    report(
      value === undefined ? null : 'name',
      'the command needs a name of letters, digits, blanks and ._-, at most 40',
    );
    return null;
  }
  const word = wordOf(value);
  if (!TAKEN_WORDS.has(word) && before.every((other) => other.word !== word)) return value;
  report('name', `the name is taken: there is a command :${word}`);
  return null;
}

const isWords = (value: unknown): value is readonly [string, ...string[]] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && !one.includes('\0'));

function readWords(value: unknown, report: ReportProblem): readonly string[] | null {
  const words = typeof value === 'string' ? splitWords(value) : value;
  if (!isWords(words)) {
    report(value === undefined ? null : 'command', 'command must be a line with closed quotes, or a list of words');
    return null;
  }
  if (!isField(words[0])) return words;
  report('command', 'the first word of command is the program, which cannot contain a field');
  return null;
}

/** Reads the key; an empty list without one, or if it is taken on one of the screens. */
function readCommandKeys(
  value: unknown,
  { name, screens }: Pick<CustomCommand, 'name' | 'screens'>,
  before: readonly CustomCommand[],
  rebound: Rebound,
  report: ReportProblem,
): readonly string[] {
  if (value === undefined) return [];
  if (typeof value !== 'string' || !CHORD.test(value)) {
    report('key', 'key must be a key such as "ctrl+g", "f5" or "g x"');
    return [];
  }
  const isOnSame = (other: CustomCommand): boolean =>
    other.screens === null || screens === null || other.screens.some((screen) => screens.includes(screen));
  const own = before.find((other) => other.keys.some((key) => collides(key, value)) && isOnSame(other));
  const taker = own?.name ?? takerOf(value, screens ?? SCREENS, rebound);
  if (taker === undefined) return [value];
  report('key', `the key ${value} of ${name} is taken: ${taker}`);
  return [];
}

function readFlag(table: Table, key: 'confirm' | 'background', report: ReportProblem): boolean {
  const value = table[key] ?? false;
  if (typeof value !== 'boolean') report(key, `${key} must be true or false`);
  return value === true;
}

/** Reads one command; null without a name or a program. */
function readCommand(
  table: Table,
  before: readonly CustomCommand[],
  rebound: Rebound,
  report: ReportProblem,
): CustomCommand | null {
  for (const key of Object.keys(table)) if (!KEYS.includes(key)) report(key, `unknown key ${key.slice(0, 60)}`);
  const name = readName(table['name'], before, report);
  const words = readWords(table['command'], report);
  const screens = table['screens'] === undefined ? null : readScreens(table['screens'], report);
  const confirm = readFlag(table, 'confirm', report);
  const background = readFlag(table, 'background', report);
  if (name === null || words === null) return null;
  const keys = readCommandKeys(table['key'], { name, screens }, before, rebound, report);
  return { name, word: wordOf(name), keys, words, screens, confirm, background };
}

function readScreens(value: unknown, report: ReportProblem): readonly Screen[] {
  const names = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(names)) {
    report('screens', 'screens must be a list of screens');
    return [];
  }
  return names.flatMap((name: unknown) => {
    const screen = SCREEN_OF.get(ALIASES[String(name)] ?? String(name));
    if (screen === undefined)
      report('screens', `unknown screen ${String(name).slice(0, 40)}; use ${[...SCREEN_OF.keys()].join(', ')}`);
    return screen ?? [];
  });
}

/** Reads the list `commands` of config.toml. */
export function readCustomCommands(value: unknown, rebound: Rebound, problems: TableProblem[]): CustomCommand[] {
  const commands: CustomCommand[] = [];
  const tables = Array.isArray(value) ? (value as unknown[]) : [];
  if (value !== undefined && !Array.isArray(value)) {
    problems.push({ path: ['commands'], text: 'each command needs a table [[commands]]' });
  }
  for (const [index, table] of tables.entries()) {
    const path = ['commands', String(index)];
    if (typeof table !== 'object' || table === null) {
      problems.push({ path, text: 'each command needs a table [[commands]]' });
      continue;
    }
    const command = readCommand(table as Table, commands, rebound, (key, text) =>
      problems.push({ path: key === null ? path : [...path, key], text }),
    );
    if (command !== null) commands.push(command);
  }
  return commands;
}

/** Name of a custom command among the commands of its place. */
export const customCommandId = (index: number): string => `custom ${index}`;

/** The commands as bindings of the keymap. */
export const customBindings = (commands: readonly CustomCommand[]): (readonly [command: string, binding: Binding])[] =>
  commands.map(({ name, word, keys }, index) => [customCommandId(index), { keys, help: name, word }] as const);
