// Remembers which entries apply has created: only those may be deleted again (decision 086).
import { existsSync } from 'node:fs';
import { readSmallFile } from '@quarterdeck/core/small-file';
import { writeAtomically } from '@quarterdeck/tui/profiles';
import { parse, stringify } from 'smol-toml';
import { CommandError, usage } from '../process/command-error.ts';
import { NOUN_NAMES, type NounName } from './nouns.ts';

/** Name of the file in the folder of the others. Its dot keeps it apart from them. */
export const APPLIED_FILE = '.quarterdeck-applied.toml';

/** An entry that apply has created. */
export interface Created {
  readonly id: number;
  readonly name: string;
  /** Time of the creation by the clock of the server, Unix seconds: another server has another entry of this id. */
  readonly created: number;
}

const HEAD = `# Written by quarterdeck apply: the entries that it has created, for --prune. Keep it with the other files.\n\n`;

/** The entries that apply has created, in a file. */
export class AppliedFile {
  readonly #path: string;
  readonly #created: Map<NounName, Created[]>;

  /** Reads the file; a missing one is empty. */
  constructor(path: string) {
    this.#path = path;
    this.#created = new Map(NOUN_NAMES.map((noun) => [noun, []]));
    if (!existsSync(path)) return;
    let tables: Readonly<Record<string, unknown>>;
    try {
      tables = parse(readSmallFile(path));
    } catch {
      throw usage(`${JSON.stringify(path)} cannot be read, or is damaged; nothing was changed.`);
    }
    for (const noun of NOUN_NAMES) {
      const rows = tables[noun] ?? [];
      if (!Array.isArray(rows) || !rows.every(isCreated)) {
        throw usage(`${JSON.stringify(path)} is damaged at ${noun}; nothing was changed.`);
      }
      this.#created.set(noun, rows);
    }
  }

  /** Nouns of which apply has created entries. */
  get nouns(): NounName[] {
    return NOUN_NAMES.filter((noun) => this.#of(noun).length > 0);
  }

  /** Reports whether apply has created an entry of the server. */
  has(noun: NounName, { id, created }: Pick<Created, 'id' | 'created'>): boolean {
    return this.#of(noun).some((one) => one.id === id && one.created === created);
  }

  /** Adds an entry, and writes the file. */
  add(noun: NounName, entry: Created): void {
    this.#of(noun).push(entry);
    this.write();
  }

  /** Removes an entry, and writes the file. */
  remove(noun: NounName, { id, created }: Pick<Created, 'id' | 'created'>): void {
    this.#created.set(
      noun,
      this.#of(noun).filter((one) => one.id !== id || one.created !== created),
    );
    this.write();
  }

  /**
   * Writes the file.
   *
   * @throws CommandError where it cannot be written
   */
  write(): void {
    const tables = Object.fromEntries([...this.#created].filter(([, rows]) => rows.length > 0));
    if (writeAtomically(this.#path, `${HEAD}${stringify(tables)}`, 0o644)) return;
    throw new CommandError('output', `${JSON.stringify(this.#path)} cannot be written. --state names another file.`);
  }

  #of(noun: NounName): Created[] {
    return this.#created.get(noun) ?? [];
  }
}

function isCreated(row: unknown): row is Created {
  const { id, name, created } = (row ?? {}) as Partial<Created>;
  return typeof id === 'number' && typeof name === 'string' && typeof created === 'number';
}
