// Exports of stored lines to files.
import { writeFile } from 'node:fs/promises';
import type { Client } from '@quarterdeck/sdk';
import type { LineQuery } from '@quarterdeck/views/lines';

/** Extensions of files that the server can fill. */
const EXPORTS = ['csv', 'ndjson'] as const;

/**
 * Writes all lines of a query to a file that only its owner can read; replaces a file only if `overwrites`.
 * @returns a message.
 * @throws Error with a message for the user.
 */
export async function exportLines(
  client: Client,
  { filter, start_time, end_time }: LineQuery,
  path: string,
  overwrites = false,
): Promise<string> {
  const format = EXPORTS.find((extension) => path.endsWith(`.${extension}`));
  if (format === undefined) throw new Error('The file name must end in .csv or .ndjson.');
  const wanted = Object.entries({ filter, start_time, end_time }).filter(([, value]) => value !== undefined);
  try {
    await writeFile(path, client.exportLinesText(format, { filter: Object.fromEntries(wanted) }), {
      flag: overwrites ? 'w' : 'wx',
      mode: 0o600,
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Error('File already exists; nothing was written.');
    if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) throw new Error(`Cannot write the file (${code}).`);
    throw error;
  }
  return `Wrote the lines to ${path}.`;
}
