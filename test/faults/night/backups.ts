// Verifies the scheduled backups, and restores the last one into another folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../apps/server/dist/main.js', import.meta.url));

type Variables = Readonly<Record<string, string>>;

/** Runs a command of the server; rejects unless it succeeds. */
export async function runCommand(variables: Variables, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, ...variables } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${text.trim()}`);
  return text.trim();
}

/** Complete backups in a folder, oldest first. */
export const backupsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /\.(db|pgdump)$/.test(name))
    .sort()
    .map((name) => join(folder, name));

/** Verifies all backups, and restores the last one. */
export async function verifyAndRestore(files: readonly string[], variables: Variables): Promise<void> {
  for (const file of files) await runCommand(variables, 'backup', 'verify', file);
  await runCommand(variables, 'restore', files.at(-1) ?? '');
}
