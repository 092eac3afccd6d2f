// Writes what a server has as files for apply.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '@quarterdeck/tui/profiles';
import { stringify } from 'smol-toml';
import { connect } from '../account/connection.ts';
import type { Invocation, Values } from '../command/command.ts';
import { CommandError, usage } from '../process/command-error.ts';
import { exitCode } from '../process/exit-codes.ts';
import { say } from '../terminal/io.ts';
import { folderOf } from './apply.ts';
import { fieldsOfNoun, isHidden, isUsual, NOUN_NAMES, type Noun, type NounName, nounOf } from './nouns.ts';
import { pathOf } from './read-folder.ts';
import { type Existing, readChannelNames, readExisting } from './read-server.ts';
import { isSame } from './same.ts';
import { escapePlaces } from './secrets.ts';

/** Escapes a value of the server, so that its text stays text. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return escapePlaces(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, escaped(member)]));
}

/** True for a secret that an entry has: one whose name is returned, or that is shown in part. */
const hasSecret = ({ fields, secrets }: Existing, field: string): boolean =>
  secrets?.has(field) === true || !isSame(fields[field], undefined);

/** Name of the variable of a secret: that of the entry and of the field, `ON_CALL_URL`. */
function variableOf({ unit }: Noun, { id, name }: Existing, field: string, taken: Set<string>): string {
  const word = (text: string) =>
    text
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
  const own = word(name);
  const base = /^[A-Z]/.test(own) ? own : [word(unit), own || id].join('_');
  const wanted = `${base}_${word(field)}`;
  const variable = taken.has(wanted) ? `${base}_${id}_${word(field)}` : wanted;
  taken.add(variable);
  return variable;
}

/** The table of an entry: the fields that differ from the defaults of the contract, and the places of its secrets. */
export function tableOf(noun: Noun, existing: Existing, taken: Set<string>): Values {
  const table: Record<string, unknown> = {};
  for (const field of fieldsOfNoun(noun)) {
    const value = existing.fields[field];
    if (isHidden(noun, field, existing.fields)) {
      if (hasSecret(existing, field)) table[field] = `\${env:${variableOf(noun, existing, field, taken)}}`;
    } else if (!isSame(value, undefined) && !isUsual(noun, field, existing.fields)) table[field] = escaped(value);
  }
  return table;
}

/** Text of the file of a noun. */
function fileText(name: NounName, existing: readonly Existing[]): string {
  const noun = nounOf(name);
  const taken = new Set<string>();
  const { isExported = () => true } = noun;
  const tables = existing
    .filter(({ fields }) => isExported(fields))
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
    .map((one) => [one.name, tableOf(noun, one, taken)] as const);
  const body = tables.length === 0 ? '' : `\n${stringify({ [name]: Object.fromEntries(tables) })}`;
  return `# ${noun.about}\n${body}`;
}

/** Names that several entries have cannot be names of tables. */
function doubles(name: NounName, existing: readonly Existing[]): string[] {
  const byName = Map.groupBy(existing, (one) => one.name);
  return [...byName]
    .filter(([, ones]) => ones.length > 1)
    .map(([own, ones]) => {
      const ids = ones.map(({ id }) => id).sort((a, b) => a - b);
      return `${pathOf(name, own)} is the name of several ${nounOf(name).unit}s, ids ${ids.join(', ')}: rename or delete all but one`;
    });
}

export async function runExport({ values, program }: Invocation): Promise<number | undefined> {
  const { io, config } = program;
  const folder = folderOf(config, values);
  const pathTo = (name: NounName) => join(folder, `${name}.toml`);
  const there = NOUN_NAMES.filter((name) => existsSync(pathTo(name)));
  if (there.length > 0 && values['force'] !== true) {
    const files = there.map((name) => JSON.stringify(pathTo(name))).join(', ');
    throw usage(`${files} ${there.length === 1 ? 'exists' : 'exist'}; nothing was written. --force overwrites.`);
  }
  const connection = connect(program, values);
  const read = new Map<NounName, Existing[]>();
  const refused: string[] = [];
  const channels = await readChannelNames(connection);
  for (const name of NOUN_NAMES) {
    try {
      read.set(name, await readExisting(connection, name, channels));
    } catch (error) {
      // Operators may read rules and no channels: what they may read is worth a file.
      if (!(error instanceof CommandError) || error.exit !== 'notAllowed') throw error;
      refused.push(`${error.message} They are left out.`);
    }
  }
  const wrong = [...read].flatMap(([name, existing]) => doubles(name, existing));
  if (wrong.length > 0) throw new CommandError('refused', `${wrong.join('\n')}\nNothing was written.`);
  for (const [name, existing] of read) {
    if (!writeAtomically(pathTo(name), fileText(name, existing), nounOf(name).mode)) {
      throw new CommandError('output', `${JSON.stringify(pathTo(name))} cannot be written.`);
    }
  }
  for (const line of refused) await say(io, `quarterdeck: ${line}`);
  return refused.length === 0 ? undefined : exitCode('refused');
}
