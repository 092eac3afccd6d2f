// The control socket: a command reaches the live server that has its data on SQLite. Both sides send JSON messages, one
// in each line. The socket has the mode 0600, so the system lets in the account of the server and root alone; Node
// cannot read the account of a peer.
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import type { ExitCode } from '../process/exit-codes.ts';

/** Name of the control socket in the data folder. */
export const CONTROL_SOCKET = 'quarterdeckd.sock';

/** Longest path in bytes that every system accepts for a socket: macOS has 103, Linux 107. Node cuts longer ones. */
const PATH_MAX = 103;

/** Longest message in characters. Standard input of 64 Ki characters fits in, each one escaped. */
const MESSAGE_MAX = 512 * 1024;

/** Message of the server. `read` asks the client for its standard input; `exit` is the last message. */
export type ServerMessage =
  | { readonly accepted: true }
  | { readonly out: string }
  | { readonly say: string }
  | { readonly read: true }
  | { readonly exit: ExitCode };

/** Message of the client: first its arguments, then its standard input where the server asks for it. */
export type ClientMessage = { readonly argv: readonly string[] } | { readonly input: string };

export const encode = (message: ServerMessage | ClientMessage): string => `${JSON.stringify(message)}\n`;

/** Reads the messages of the other side. Throws where one is too long or no JSON, or where the connection is lost. */
export async function* readMessages(socket: Socket): AsyncGenerator<unknown, undefined> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8') as AsyncIterable<string>) {
    const [first = '', ...others] = chunk.split('\n');
    text += first;
    for (const next of others) {
      yield JSON.parse(text);
      text = next;
    }
    if (text.length > MESSAGE_MAX) throw new Error(`a message is longer than ${MESSAGE_MAX} characters`);
  }
}

/** Path under which the control socket is opened. */
export interface ControlPath {
  readonly path: string;
  /** Call this once the socket is closed. */
  release(): void;
}

/** Returns the path of the control socket; undefined where it is too long for this system. */
export function controlPath(dataDir: string): ControlPath | undefined {
  const path = join(resolve(dataDir), CONTROL_SOCKET);
  if (Buffer.byteLength(path) <= PATH_MAX) return { path, release: () => {} };
  if (process.platform !== 'linux') return undefined;
  const folder = openSync(dataDir, 'r');
  return { path: `/proc/self/fd/${folder}/${CONTROL_SOCKET}`, release: () => closeSync(folder) };
}
