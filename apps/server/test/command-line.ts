// Runs the command line on the data folder of a stopped server: in a process of its own, as people do, and in this
// process, which takes a hundredth of the time.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Database, openDatabase } from '@quarterdeck/core/db';
import { beforeAll } from 'vitest';
import { newFolder } from '../../../test/new-folder.ts';
import { checkKey } from '../src/auth/key-check.ts';
import { openSecretKey } from '../src/auth/key-ring.ts';
import { runCommand } from '../src/cli/run-command.ts';
import { createAuditLog } from '../src/features/audit/audit.log.ts';
import { PROGRAM_FLAGS, programEnvironment } from './program-environment.ts';

export const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Runs a command with these settings and no other environment. */
export async function runProcess(args: readonly string[], settings: Readonly<Record<string, string>>, input = '') {
  const child = spawn(process.execPath, [...PROGRAM_FLAGS, MAIN, ...args], {
    env: { ...programEnvironment(), ...settings },
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  // A command that reads no input may have ended by now.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

/** Runs a command in this process, with the same arguments and the same result as {@link runProcess}. */
export async function runHere(args: readonly string[], settings: Readonly<Record<string, string>>, input = '') {
  const out: string[] = [];
  const err: string[] = [];
  const streams = {
    out: (line: string) => void out.push(`${line}\n`),
    say: (line: string) => void err.push(`${line}\n`),
    readInput: async () => input,
  };
  const code = await runCommand(args, streams, settings);
  return { code, out: out.join(''), err: err.join('') };
}

/** A folder with the master `ada` (id 1) and one entry in the audit log, for the tests of one file. */
export function useDataFolder() {
  const dataDir = newFolder();

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

  const entries = () => withData((db) => db.read.prisma.audit.findMany({ orderBy: { id: 'asc' } }));
  return {
    dataDir,
    withData,
    entries,
    lastEntry: async () => (await entries()).at(-1),
    /** Runs a command here. */
    run: (args: readonly string[], settings: Readonly<Record<string, string>> = {}, input = '') =>
      runHere(args, { QUARTERDECK_DATA_DIR: dataDir, ...settings }, input),
    /** Runs one as a process: for what it prints, reads, and ends with. */
    runProcess: (args: readonly string[], settings: Readonly<Record<string, string>> = {}, input = '') =>
      runProcess(args, { QUARTERDECK_DATA_DIR: dataDir, ...settings }, input),
  };
}
