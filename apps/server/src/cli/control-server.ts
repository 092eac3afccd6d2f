// Runs commands for the clients of the control socket, with the open data of this server.
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { KeyRing } from '../auth/key-ring.ts';
import type { Passwords } from '../auth/passwords.ts';
import type { AuditLog } from '../features/audit/audit.log.ts';
import { EXIT } from '../process/exit-codes.ts';
import { Refusal } from '../process/refusal.ts';
import type { Config } from '../settings/config.ts';
import { type ControlPath, controlPath, encode, readMessages, type ServerMessage } from './control-protocol.ts';
import { PROGRAM } from './help.ts';
import { runCommandOn } from './run-command.ts';

/** Maximum of connections; a further client is asked to try again. */
export const CLIENTS_MAX = 8;

const REQUEST_MAX_MS = 10_000;
/** Wait for standard input, which another program of the client's pipe may still be computing. */
const INPUT_MAX_MS = 60_000;
/** Wait for running commands when the server stops. */
const STOP_MAX_MS = 3_000;

const Request = z.strictObject({ argv: z.array(z.string().max(4096)).max(64) });
const Input = z.strictObject({ input: z.string() });

/** Listening control socket. */
export interface ControlServer {
  /** Accepts no more commands, lets running ones finish, and removes the socket. */
  close(): Promise<void>;
}

/** Parts of the running server that its commands work with. */
interface ControlNeeds {
  readonly db: Database;
  readonly key: KeyRing;
  readonly audit: AuditLog;
  readonly passwords: Passwords;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Listens on the control socket of the data folder, which this process has locked. Undefined where the system does not
 * let it, such as on a file system without sockets: the log says so, and the server runs without it.
 */
export async function startControlServer(config: Config, deps: ControlNeeds): Promise<ControlServer | undefined> {
  const { log } = deps;
  const place = controlPath(config.dataDir);
  if (place === undefined) {
    log.warn({ data_dir: config.dataDir }, 'commands need this server stopped: the path of its folder is too long');
    return undefined;
  }
  try {
    return await listen(place, config, deps);
  } catch (error) {
    place.release();
    log.warn({ err: error }, 'commands need this server stopped: it cannot listen on a socket in its folder');
    return undefined;
  }
}

async function listen({ path, release }: ControlPath, config: Config, deps: ControlNeeds): Promise<ControlServer> {
  const clients = new Map<Socket, Promise<void>>();
  const waiting = new Set<Socket>();
  let isStopping = false;

  const server = createServer((socket) => {
    // A client that has gone needs no answer.
    socket.on('error', () => undefined);
    if (clients.size >= CLIENTS_MAX) {
      const busy = `${PROGRAM}: the server runs ${CLIENTS_MAX} commands already; try again`;
      return finish(socket, { say: busy }, { exit: EXIT.tryAgain });
    }
    const served = serveClient(socket)
      // The error quotes what was sent, which may be a secret.
      .catch(() => deps.log.warn('a client of the control socket sent no command'))
      .finally(() => {
        clients.delete(socket);
        socket.destroy();
      });
    clients.set(socket, served);
  });

  /** Waits for a message, for a limited time and not beyond the stop of the server. */
  async function nextOf(messages: AsyncGenerator<unknown>, socket: Socket, maxMs: number): Promise<unknown> {
    if (isStopping) socket.destroy();
    const timer = setTimeout(() => socket.destroy(), maxMs);
    waiting.add(socket);
    try {
      return (await messages.next()).value;
    } finally {
      waiting.delete(socket);
      clearTimeout(timer);
    }
  }

  async function serveClient(socket: Socket): Promise<void> {
    const messages = readMessages(socket);
    const { argv } = Request.parse(await nextOf(messages, socket, REQUEST_MAX_MS));
    const send = (message: ServerMessage) => void socket.write(encode(message));
    send({ accepted: true });
    const streams = {
      out: (line: string) => send({ out: line }),
      say: (line: string) => send({ say: line }),
      async drained() {
        if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
        if (socket.destroyed) throw new Refusal('the client has gone');
      },
      async readInput() {
        send({ read: true });
        return Input.parse(await nextOf(messages, socket, INPUT_MAX_MS)).input;
      },
    };
    const exit = await runCommandOn(installationOf(config, deps), argv, streams);
    if (socket.destroyed) return;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    finish(socket, { exit });
    await closed;
  }

  // A killed server has left its socket. No other server uses the folder, so the socket is nobody's.
  rmSync(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  chmodSync(path, 0o600);
  server.on('error', (error) => deps.log.warn({ err: error }, 'the control socket failed'));

  return {
    async close() {
      isStopping = true;
      server.close();
      for (const socket of waiting) socket.destroy();
      await Promise.race([Promise.all(clients.values()), delay(STOP_MAX_MS, undefined, { ref: false })]);
      for (const socket of clients.keys()) socket.destroy();
      release();
    },
  };
}

/** Sends the last messages, then closes the connection. */
function finish(socket: Socket, ...messages: readonly ServerMessage[]): void {
  socket.end(messages.map(encode).join(''), () => socket.destroy());
}

const installationOf = (config: Config, { db, key, audit, now, passwords }: ControlNeeds) => ({
  inServer: true,
  config: () => config,
  openData: async () => ({
    db,
    key,
    audit,
    now,
    passwords: async () => passwords,
    // The data stay open for the server.
    [Symbol.asyncDispose]: async () => undefined,
  }),
});
