// Verifies the scheduled backups, and restores the last one into another folder.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, QUARTERDECKD, type Settings, startCommand } from '../built-server.ts';

/** Runs a command of the server; rejects unless it succeeds. */
export async function runCommand(place: Place, settings: Settings, ...words: readonly string[]): Promise<void> {
  const { code, text } = await startCommand(place, settings, [QUARTERDECKD, ...words]).outcome;
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${text}`);
}

/** Complete backups in a folder, oldest first. */
export const backupsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /\.(db|pgdump)$/.test(name))
    .sort()
    .map((name) => join(folder, name));
