// Sends a command to the live server that has its data.
import { once } from 'node:events';
import { lstatSync, type Stats, statSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { Refusal, UsageError } from '../process/refusal.ts';
import type { Streams } from './command.ts';
import {
  type ClientMessage,
  CONTROL_SOCKET,
  controlPath,
  encode,
  readMessages,
  type ServerMessage,
} from './control-protocol.ts';

/** Wait for the first message of a server, whose event loop may be busy. */
const ANSWER_MAX_MS = 10_000;

/** Runs a command line in the server on a data folder; undefined where no server listens there. */
export async function runInServer(
  dataDir: string,
  argv: readonly string[],
  streams: Streams,
  answerMaxMs = ANSWER_MAX_MS,
): Promise<ExitCode | undefined> {
  if (!hasSocket(dataDir)) return undefined;
  const place = controlPath(dataDir);
  if (place === undefined) return undefined;
  try {
    const socket = await connect(place.path, dataDir);
    return socket && (await runOver(socket, argv, streams, answerMaxMs));
  } finally {
    place.release();
  }
}

/** Tells whether there is a control socket. Refuses one that an account without rights on the data has put there. */
function hasSocket(dataDir: string): boolean {
  const socket = read(() => lstatSync(join(dataDir, CONTROL_SOCKET)));
  const database = read(() => statSync(join(dataDir, 'quarterdeck.db')));
  if (socket === undefined || database === undefined) return false;
  if ([0, process.geteuid?.(), database.uid].includes(socket.uid)) return true;
  throw new Refusal(
    `${join(dataDir, CONTROL_SOCKET)} belongs to another account than the database; remove it, and restart the server`,
  );
}

function read(stat: () => Stats): Stats | undefined {
  try {
    return stat();
  } catch {
    return undefined;
  }
}

/** Connects; undefined where no process listens: the socket was left by a killed server. */
async function connect(path: string, dataDir: string): Promise<Socket | undefined> {
  const socket = createConnection(path);
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined;
    const remedy = code === 'EACCES' ? 'run this command as the account of the server' : 'try again';
    const exitCode = code === 'EAGAIN' ? EXIT.tryAgain : EXIT.unreachable;
    throw new Refusal(`the server on ${dataDir} cannot be reached (${code}); ${remedy}`, exitCode);
  }
}

async function runOver(
  socket: Socket,
  argv: readonly string[],
  streams: Streams,
  answerMaxMs: number,
): Promise<ExitCode> {
  const send = (message: ClientMessage) => void socket.write(encode(message));
  let isAnswered = false;
  const timer = setTimeout(() => socket.destroy(), answerMaxMs);
  try {
    socket.on('error', () => undefined);
    send({ argv });
    for await (const message of readMessages(socket)) {
      isAnswered = true;
      clearTimeout(timer);
      const received = message as ServerMessage;
      if ('out' in received) streams.out(received.out);
      await streams.drained?.();
      if ('say' in received) streams.say(received.say);
      if ('read' in received) send({ input: await streams.readInput() });
      if ('exit' in received) return received.exit;
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
  throw new Refusal(
    isAnswered
      ? 'the server ended before the command was done; look into the audit log before you run it again'
      : 'the server does not answer; try again, or restart it',
    EXIT.unreachable,
  );
}
