// Runs the shipper with real files and a real spool, against a console on a real socket.
import { appendFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createServerApi } from '../../src/api/server-api.ts';
import { createLog } from '../../src/log.ts';
import type { WakeSignal } from '../../src/process/wake-signal.ts';
import type { LineSettings } from '../../src/settings/followed-files.ts';
import { openShipper, type Shipper } from '../../src/ship/shipper.ts';
import { type FakeConsole, secretNumber, startFakeConsole } from '../fake-console.ts';
import { temporaryFolder } from '../temporary.ts';

/** The secret of the batches. */
export const SECRET = secretNumber(1);

interface Options {
  readonly dir?: string;
  readonly spoolMaxBytes?: number;
  readonly isEnrolled?: () => boolean;
  readonly settings?: LineSettings;
  /** Folder with the program journalctl; absent = the journal is not read. */
  readonly journalPath?: string | undefined;
  /** Socket of an engine whose containers are read. */
  readonly engine?: string | undefined;
  /** Names of those containers. */
  readonly containers?: readonly string[];
  readonly now?: () => number;
  readonly accepted?: WakeSignal;
  readonly random?: () => number;
}

export interface RunningShipper {
  readonly dir: string;
  readonly shipper: Shipper;
  /** Lines of the log. */
  readonly log: readonly string[];
  /** Stops the shipper and waits for its end. */
  end(): Promise<void>;
  /** Appends to the followed file. */
  write(text: string): Promise<void>;
  /** True once the log has the message. */
  said(message: string): boolean;
  /** Paths of the batches on the disk, oldest first. */
  spooled(): Promise<string[]>;
}

/** Ships `logs/*.log` of a folder until the test ends. */
export async function ship(server: FakeConsole, options: Options = {}): Promise<RunningShipper> {
  const {
    dir = await temporaryFolder(),
    spoolMaxBytes = 1024 * 1024,
    isEnrolled = () => true,
    settings = {},
    journalPath,
    engine,
    containers = ['*'],
    now = Date.now,
    accepted,
    random = () => 0,
  } = options;
  await mkdir(join(dir, 'logs'), { recursive: true });
  const spoolDir = join(dir, 'agent', 'spool');
  const stop = new AbortController();
  const lines: string[] = [];
  const shipper = await openShipper({
    files: [join(dir, 'logs', '*.log')],
    fileSettings: [{ glob: join(dir, 'logs', '*.log'), ...settings }],
    ...(journalPath === undefined ? {} : { journal: ['nginx.service'], path: journalPath }),
    ...(engine === undefined ? {} : { containerLogs: { socket: engine, names: containers } }),
    agentDir: join(dir, 'agent'),
    spoolMaxBytes,
    serverApi: createServerApi({ url: server.url, consoleUrl: server.url, version: '0.1.0' }),
    enrollment: () => (isEnrolled() ? { server: server.url, id: 7, secret: SECRET, interval: 30 } : undefined),
    log: createLog({ write: (line) => void lines.push(line) }, 'debug', false),
    accepted,
    random,
    now,
    pollEveryMs: 20,
    signal: stop.signal,
  });
  const ended = shipper.run();
  const end = async () => {
    stop.abort();
    await ended;
  };
  onTestFinished(end);
  return {
    dir,
    shipper,
    end,
    log: lines,
    write: (text) => appendFile(join(dir, 'logs', 'a.log'), text),
    said: (message) => lines.some((line) => line.includes(message)),
    async spooled() {
      const names = (await readdir(spoolDir)).filter((name) => name.endsWith('.batch'));
      return names.sort().map((name) => join(spoolDir, name));
    },
  };
}

/** Waits until `read` returns the expected value. */
export const eventually = <T>(look: () => T) => expect.poll(look);

/** The requests that carried a batch. */
export const batches = (server: FakeConsole) => server.seen.filter(({ what }) => what === 'errlog');

/** The texts of each batch. */
export const textsOf = (server: FakeConsole) =>
  batches(server).map(({ body }) => (body as { log: string }[]).map(({ log }) => log));

/** Ships to a server of its own, which gives these answers first. */
export async function shipTo(...answers: FakeConsole['next']): Promise<{ server: FakeConsole; agent: RunningShipper }> {
  const server = await startFakeConsole();
  server.next.push(...answers);
  return { server, agent: await ship(server) };
}
