// Runs a command on the data of an installation: in the live server that has them on SQLite, else in this process.

import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { Refusal } from '../process/refusal.ts';
import type { Config } from '../settings/config.ts';
import type { Streams } from './command.ts';
import { runInServer } from './control-client.ts';

/** Runs a command line. `runHere` runs it in this process, and rejects with the kind `locked` where that cannot be. */
export async function runOnData(
  { dataDir, databaseUrl }: Config,
  argv: readonly string[],
  streams: Streams,
  runHere: (streams: Streams) => Promise<void>,
): Promise<ExitCode> {
  // A command may begin here and be run in the server, but standard input has its text only once.
  let input: Promise<string> | undefined;
  const io = { ...streams, readInput: () => (input ??= streams.readInput()) };
  const inServer = async () => (databaseUrl === undefined ? await runInServer(dataDir, argv, io) : undefined);
  const exitCode = await inServer();
  if (exitCode !== undefined) return exitCode;
  try {
    await runHere(io);
    return EXIT.done;
  } catch (error) {
    if (!(await isLocked(error))) throw error;
  }
  // A server may have started meanwhile.
  const later = await inServer();
  if (later !== undefined) return later;
  throw new Refusal(
    `another process has ${dataDir}: a command, or a server that is starting, stopping or not listening for commands; ` +
      'try again, or stop it',
    EXIT.tryAgain,
  );
}

async function isLocked(error: unknown): Promise<boolean> {
  const { DatabaseError } = await import('@quarterdeck/core/db');
  return error instanceof DatabaseError && error.kind === 'locked';
}
