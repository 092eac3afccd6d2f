// Reads the files of a folder: TOML and YAML with tables of nouns, such as `[alerts."new errors"]`.
import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { nearest } from '@quarterdeck/core/plain';
import { readSmallFile } from '@quarterdeck/core/small-file';
import { parse, TomlError } from 'smol-toml';
import type { Values } from '../command/command.ts';
import { usage } from '../process/command-error.ts';
import { checkEntry, type Problem } from './check-entry.ts';
import { NOUN_NAMES, type NounName, nounOf } from './nouns.ts';
import type { SecretReader } from './secrets.ts';

/** An entry of a file, checked, with its secrets filled in. */
export interface Entry {
  readonly noun: NounName;
  readonly name: string;
  /** The entry on the server that it means, whatever its name is; undefined = the one of this name. */
  readonly id: number | undefined;
  readonly file: string;
  readonly fields: Values;
  /** Fields whose values come from variables. */
  readonly secrets: ReadonlySet<string>;
}

/** All entries of a folder, and everything that is wrong with them. */
export interface Folder {
  readonly entries: readonly Entry[];
  readonly problems: readonly string[];
}

const FORMS = ['.toml', '.yaml', '.yml'];

/** Path of an entry as TOML writes it: `alerts."new errors"`. */
export const pathOf = (noun: NounName, name: string): string =>
  `${noun}.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}`;

/** A problem of an entry. */
export const problemOf = ({ file, noun, name }: Pick<Entry, 'file' | 'noun' | 'name'>, problem: Problem): string =>
  [file, pathOf(noun, name), problem.field, problem.message].filter((part) => part !== '').join(': ');

const isTable = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Parses a file. Messages have the place of a mistake and not its line, which may have a secret. */
async function parseFile(file: string, text: string): Promise<unknown> {
  if (extname(file) === '.toml') {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const [first = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
      throw new Error(`line ${error.line}: ${first}`);
    }
  }
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`line ${lines.linePos(error.pos[0]).line}: ${error.message}`);
  return document.toJS() as unknown;
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => FORMS.includes(extname(file)) && !file.startsWith('.'))
      .sort();
  } catch {
    throw usage(`${JSON.stringify(folder)} is not a folder that can be read.`);
  }
}

/** Reads all files of a folder; those whose names begin with a dot, and folders in it, are left out. */
export async function readFolder(folder: string, secrets: SecretReader): Promise<Folder> {
  const files = namesOf(folder);
  if (files.length === 0) throw usage(`${JSON.stringify(folder)} has no files that end in ${FORMS.join(', ')}.`);
  const entries: Entry[] = [];
  const problems: string[] = [];
  const places = new Map<string, string>();
  for (const file of files) {
    let content: unknown;
    try {
      content = await parseFile(file, readSmallFile(join(folder, file)));
    } catch (error) {
      problems.push(`${file}: ${(error as Error).message}`);
      continue;
    }
    readTables(file, content);
  }
  return { entries, problems };

  function readTables(file: string, content: unknown): void {
    // A file of YAML with comments alone.
    if (content === null || content === undefined) return;
    if (!isTable(content)) {
      problems.push(`${file}: must have tables named ${NOUN_NAMES.join(', ')}`);
      return;
    }
    for (const [key, tables] of Object.entries(content)) {
      const noun = NOUN_NAMES.find((name) => name === key);
      if (noun === undefined) {
        const meant = nearest(key, NOUN_NAMES);
        const hint = meant === undefined ? `Known: ${NOUN_NAMES.join(', ')}` : `Did you mean ${meant}?`;
        problems.push(`${file}: ${key}: is an unknown table. ${hint}`);
      } else if (isTable(tables ?? {})) {
        for (const [name, table] of Object.entries(tables ?? {})) readEntry(file, noun, name, table ?? {});
      } else problems.push(`${file}: ${key}: must have a table for each name: [${key}.NAME]`);
    }
  }

  function readEntry(file: string, noun: NounName, key: string, table: unknown): void {
    const refuse = (field: string, message: string) =>
      problems.push(problemOf({ file, noun, name: key }, { field, message }));
    if (!isTable(table)) {
      refuse('', 'must be a table with fields');
      return;
    }
    const secretFields = new Set<string>();
    let isFilled = true;
    const filled = Object.entries(table).map(([field, value]) => {
      const one = secrets.fill(value, (why) => {
        isFilled = false;
        refuse(field, why);
      });
      if (one.isSecret) secretFields.add(field);
      return [field, one.value] as const;
    });
    const checked = checkEntry(nounOf(noun), key, Object.fromEntries(filled));
    const own = checked.problems.filter(({ field }) => isFilled || !secretFields.has(field.split('.')[0] ?? ''));
    for (const { field, message } of own) refuse(field, message);
    const { name, id, fields } = checked;
    const path = pathOf(noun, name);
    const other = places.get(path);
    if (other !== undefined) refuse('', other === file ? 'is there twice' : `is also in ${other}`);
    places.set(path, file);
    entries.push({ noun, name, id, file, fields, secrets: secretFields });
  }
}
