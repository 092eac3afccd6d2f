// The control socket of a server on SQLite: who reaches it, what it refuses, and what is left of it.
import { once } from 'node:events';
import { chownSync, existsSync, lstatSync, mkdirSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DatabaseError } from '@quarterdeck/core/db';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/new-folder.ts';
import { runHere } from '../../test/command-line.ts';
import { DIALECT, newPlace, type Place, startApi } from '../../test/start-api.ts';
import { readConfig } from '../settings/config.ts';
import type { Streams } from './command.ts';
import { runInServer } from './control-client.ts';
import { CONTROL_SOCKET } from './control-protocol.ts';
import { CLIENTS_MAX } from './control-server.ts';
import { runOnData } from './run-on-data.ts';

const VERIFY = ['audit', 'verify'];
const INTACT = { code: 0, err: '' };
const BUSY = { code: 75, out: '' };

let place: Place;
beforeEach(async () => {
  place = await newPlace();
});
afterEach(() => place[Symbol.asyncDispose]());

const dataDir = () => place.sharing['DATA_DIR'] ?? '';
const socketFile = () => join(dataDir(), CONTROL_SOCKET);
const settings = () => ({ QUARTERDECK_DATA_DIR: dataDir() });
const run = (args: readonly string[], input?: string) => runHere(args, settings(), input);

async function connect(): Promise<Socket> {
  const socket = createConnection(socketFile()).on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends this text alone, and returns the messages of the server. */
async function ask(sent: string): Promise<unknown[]> {
  const socket = await connect();
  socket.write(sent);
  const lines = (await text(socket)).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as unknown);
}

/** Listens in the place of a server. */
async function listenInstead(answer: (socket: Socket) => void): Promise<AsyncDisposable> {
  const server = createServer(answer).listen(socketFile());
  await once(server, 'listening');
  return { [Symbol.asyncDispose]: async () => void server.close() };
}

const streams = { out: () => undefined, say: () => undefined, readInput: async () => '' };

describe.skipIf(DIALECT === 'postgresql')('the control socket', () => {
  it('lets in the account of the server alone, and is removed when the server stops', async () => {
    {
      await using _api = await startApi(place.sharing);
      const stats = lstatSync(socketFile());
      expect([stats.isSocket(), stats.mode & 0o777]).toEqual([true, 0o600]);
      await expect(startApi(place.sharing)).rejects.toMatchObject({ kind: 'locked' });
      expect(await run(VERIFY)).toMatchObject(INTACT);
    }
    expect(existsSync(socketFile())).toBe(false);
    expect(await run(VERIFY)).toMatchObject(INTACT);
  });

  it('is reached in a folder whose path is too long for a socket', async () => {
    const parent = newFolder();
    const long = join(parent, 'x'.repeat(100), 'y'.repeat(100));
    mkdirSync(long, { recursive: true });
    {
      await using api = await startApi({ DATA_DIR: long });
      expect(api.logged.filter((line) => line.includes('commands need this server stopped'))).toEqual([]);
      expect(await runHere(VERIFY, { QUARTERDECK_DATA_DIR: long })).toMatchObject(INTACT);
    }
    expect(existsSync(join(long, CONTROL_SOCKET))).toBe(false);
  });

  it('is done without where the server cannot listen', async () => {
    mkdirSync(join(socketFile(), 'in the way'), { recursive: true });
    await using api = await startApi(place.sharing);
    expect((await api.admin.user.me()).username).toBe('admin');
    expect(api.logged.some((line) => line.includes('commands need this server stopped'))).toBe(true);
    expect(await run(VERIFY)).toMatchObject(BUSY);
  });

  it('runs no command that needs no data, and closes connections that do not ask for a command', async () => {
    await using api = await startApi(place.sharing);
    const file = join(dataDir(), 'copy.db');
    expect(await ask(`${JSON.stringify({ argv: ['backup', file] })}\n`)).toEqual([
      { accepted: true },
      { say: 'quarterdeckd: the server does not run backup' },
      { exit: 2 },
    ]);
    expect(existsSync(file)).toBe(false);
    for (const wrong of [
      'GET / HTTP/1.1\r\n\r\n',
      '{"argv":"audit verify"}\n',
      `${JSON.stringify({ argv: Array(1_000).fill('x') })}\n`,
      // A message without an end.
      'x'.repeat(2_000_000),
    ]) {
      expect(await ask(wrong).catch(() => []), wrong.slice(0, 30)).toEqual([]);
    }
    expect((await api.admin.user.me()).username).toBe('admin');
    expect(await run(VERIFY)).toMatchObject(INTACT);

    const others = await Promise.all(Array.from({ length: CLIENTS_MAX }, connect));
    expect(await run(VERIFY)).toEqual({ ...BUSY, err: expect.stringMatching(/^quarterdeckd: [^\n]+ try again\n$/) });
    for (const socket of others) socket.destroy();
    await expect.poll(() => run(VERIFY)).toMatchObject(INTACT);
  });

  it('does not delay the stop of the server, and changes nothing without its input', async () => {
    const api = await startApi(place.sharing);
    const idle = await connect();
    const asked = Promise.withResolvers<void>();
    const never = Promise.withResolvers<string>();
    const readInput = () => {
      asked.resolve();
      return never.promise;
    };
    const command = runInServer(dataDir(), ['user', 'reset-password', '--password-stdin', 'admin'], {
      ...streams,
      readInput,
    });
    await asked.promise;
    const closed = once(idle, 'close');
    await api.server.stop();
    await closed;
    never.resolve('a password that comes too late');
    await expect(command).rejects.toMatchObject({ name: 'Refusal', exitCode: 69 });
    await using again = await startApi(place.sharing);
    expect((await again.admin.audit.list({ query: { action: 'user.password_reset' } })).data).toEqual([]);
  });

  it('is unreachable where the server does not answer, or ends before the command', async () => {
    const refused = (said: string) => ({ name: 'Refusal', exitCode: 69, message: expect.stringContaining(said) });
    {
      await using _silent = await listenInstead(() => undefined);
      await expect(runInServer(dataDir(), VERIFY, streams, 20)).rejects.toMatchObject(refused('does not answer'));
    }
    await using _ending = await listenInstead((socket) => socket.end('{"accepted":true}\n'));
    await expect(runInServer(dataDir(), VERIFY, streams)).rejects.toMatchObject(refused('before the command was done'));
  });

  it('is tried again where a server has locked the folder meanwhile; the input is read once', async () => {
    const received = Promise.withResolvers<string>();
    await using stack = new AsyncDisposableStack();
    const startServer = () =>
      listenInstead((socket) => {
        socket.write('{"read":true}\n');
        socket.on('data', (data) => {
          const line = data
            .toString()
            .split('\n')
            .find((one) => one.includes('"input"'));
          if (line === undefined) return;
          received.resolve(line);
          socket.end('{"exit":3}\n');
        });
      });
    const inputs = ['first', 'second'];
    const io = { ...streams, readInput: async () => inputs.shift() ?? '' };
    const runHere = async ({ readInput }: Streams) => {
      await readInput();
      stack.use(await startServer());
      throw new DatabaseError('locked');
    };
    expect(await runOnData(readConfig(settings()), VERIFY, io, runHere)).toBe(3);
    expect(await received.promise).toBe('{"input":"first"}');
  });

  it.skipIf(process.geteuid?.() !== 0)('is refused where another account has put it there', async () => {
    await using _other = await listenInstead((socket) => socket.end('{"exit":0}\n'));
    expect(await runInServer(dataDir(), VERIFY, streams)).toBe(0);
    chownSync(socketFile(), 12_345, 12_345);
    await expect(runInServer(dataDir(), VERIFY, streams)).rejects.toMatchObject({ name: 'Refusal', exitCode: 1 });
  });
});
