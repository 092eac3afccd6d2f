// Everything that is kept, as text to be searched or compared.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, statement } from '@quarterdeck/core/db';

/** Every row of every table. */
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
    const values = rows.flatMap((row) => Object.values(row));
    content[`table ${name}`] = values
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
      .join('\n');
  }
  return content;
}

/**
 * Every file of a folder; deleted rows and the write-ahead log are in them too. Of zeros in a row one is left: the room kept
 * back for a full disk is 16 MiB of them, which nobody has to search.
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
