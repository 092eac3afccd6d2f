// Receives the messages to a service manager, as the real programs of systemd exchange them: `systemd-socket-activate`
// opens the datagram socket, since Node cannot.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

const ACTIVATE = 'systemd-socket-activate';

/** True where this machine has the programs of systemd. */
export const HAS_SYSTEMD = spawnSync(ACTIVATE, ['--version']).status === 0;

/** Prints each datagram of descriptor 3 as a line of JSON. The first one starts it. */
const READER = `
  const { readSync } = require('node:fs');
  const buffer = Buffer.alloc(4096);
  for (;;) {
    try {
      console.log(JSON.stringify(buffer.toString('utf8', 0, readSync(3, buffer))));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }`;

/** A receiver of messages. */
export interface NotifyReceiver {
  /** Address for `NOTIFY_SOCKET`. */
  readonly socket: string;
  /** Messages until now, each with its assignments. */
  readonly messages: readonly string[][];
  /** Resolves when a message has this assignment. */
  has(assignment: string): Promise<void>;
}

/** Starts a receiver and ends it with the test. */
export async function receiveNotifications(): Promise<NotifyReceiver> {
  const socket = join(mkdtempSync(join(tmpdir(), 'notify-')), 'socket');
  const child: ChildProcess = spawn(ACTIVATE, ['--datagram', '-l', socket, process.execPath, '-e', READER], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const messages: string[][] = [];
  let arrived = Promise.withResolvers<void>();
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    messages.push((JSON.parse(line) as string).split('\n').filter(Boolean));
    arrived.resolve();
    arrived = Promise.withResolvers();
  });
  // It says so when the socket is open.
  await once(child.stderr as NodeJS.ReadableStream, 'data');
  child.stderr?.resume();
  return {
    socket,
    messages,
    async has(assignment) {
      while (!messages.some((message) => message.includes(assignment))) await arrived.promise;
    },
  };
}
