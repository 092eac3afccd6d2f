// All stored data as text, to search or compare.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, statement } from '@quarterdeck/core/db';

const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);

/** Every row of every table, in an order that does not depend on the database. */
export async function tablesOf({ read }: Database): Promise<Record<string, string>> {
  const names = await read.sql.all<{ name: string }>(
    statement({
      sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
      postgresql: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
    }),
  );
  const content: Record<string, string> = {};
  for (const { name } of names) {
    const rows = await read.sql.all<Record<string, unknown>>(statement(`SELECT * FROM "${name}"`));
    const texts = rows.map((row) => Object.values(row).map(textOf).join('\n'));
    content[`table ${name}`] = texts.sort().join('\n');
  }
  return content;
}

/**
 * Reads every file of a folder, with deleted rows and the write-ahead log. Runs of zeros are cut to one: the space
 * reserve is 16 MiB that need no search.
 */
export function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names.map(({ name, parentPath }) => [
      `file ${name}`,
      readFileSync(join(parentPath, name), 'latin1').replaceAll(/\0+/g, '\0'),
    ]),
  );
}
