// The command line as people use it: a process of its own, on a data folder that a server has left.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Database, openDatabase } from '@quarterdeck/core/db';
import { afterAll, beforeAll } from 'vitest';
import { checkKey } from '../src/auth/key-check.ts';
import { openSecretKey } from '../src/auth/secrets.ts';
import { createAuditLog } from '../src/features/audit/audit.log.ts';

export const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Runs a command with some settings, given without the rest of the environment. */
export async function runProcess(args: readonly string[], settings: Readonly<Record<string, string>>, input = '') {
  const child = spawn(process.execPath, ['--conditions=@quarterdeck/source', MAIN, ...args], {
    env: { PATH: process.env['PATH'], ...settings },
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  // A command that reads nothing may be gone by now.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

/** A folder with the master `ada` (id 1) and one entry in the audit log, for the tests of one file. */
export function useDataFolder() {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-cli-'));

  /** Opens the data while no command runs. */
  async function withData<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const db = await openDatabase({ kind: 'sqlite', dataDir });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  }

  beforeAll(async () => {
    const key = openSecretKey(dataDir);
    await withData(async (db) => {
      await checkKey(db, key);
      const times = { createdMs: 1n, modifiedMs: 1n };
      await db.write(async (tx) => {
        await tx.prisma.user.create({ data: { username: 'ada', passwordHash: 'x', role: 'master', ...times } });
        await createAuditLog(Date.now, key).record(tx, { action: 'user.create', actor: 'system' });
      });
    });
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  const entries = () => withData((db) => db.read.prisma.audit.findMany({ orderBy: { id: 'asc' } }));
  return {
    dataDir,
    withData,
    entries,
    lastEntry: async () => (await entries()).at(-1),
    run: (args: readonly string[], settings: Readonly<Record<string, string>> = {}, input = '') =>
      runProcess(args, { QUARTERDECK_DATA_DIR: dataDir, ...settings }, input),
  };
}
