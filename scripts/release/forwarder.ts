// Checks the example that forwards events: a webhook that refuses messages, a crash in the middle, an orderly end.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import type { Api } from './examples.ts';
import { check } from './outside.ts';

/** Longest run of one form. */
const LIMIT_MS = 180_000;
/** Messages after which the webhook misbehaves, and after which the forwarder is killed. */
const [UNAVAILABLE_AT, BUSY_AT, HANGS_UP_AT, KILL_AT] = [20, 40, 60, 100];

/** A forwarder, and the events that it forwards. */
interface Forwarding {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly api: Api;
  readonly form: string;
  readonly command: readonly string[];
  readonly count: number;
}

/** Names of the created events, one with characters that a shell or JSON could change. */
const nameOf = (form: string, index: number): string =>
  index === 7 ? `${form} 7 "quoted" \\n $(id) 'é' %s` : `${form} ${index}`;

/** Runs one form of the forwarder through failures and a crash: every event must arrive, in order. */
export async function checkForwarder({ folder, env, api, form, command, count }: Forwarding): Promise<void> {
  const [program = '', ...args] = command;
  const names = Array.from({ length: count }, (_, index) => nameOf(form, index));
  const expected = new Set(names.map((name) => `deploy ${name}`));
  const received: string[] = [];
  /** Messages that the webhook got and did not take, so they must come again. */
  const untaken: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const killed = Promise.withResolvers<void>();
  let running: ChildProcess | undefined;

  /** Number of the message -> failure of the webhook. */
  const failures: Readonly<Record<number, (response: ServerResponse) => void>> = {
    [UNAVAILABLE_AT]: (response) => response.writeHead(503).end(),
    [BUSY_AT]: (response) => response.writeHead(429, { 'retry-after': '1' }).end(),
    [HANGS_UP_AT]: (response) => response.destroy(),
    [KILL_AT]: () => {
      process.kill(-(running?.pid ?? 0), 'SIGKILL');
      killed.resolve();
    },
  };

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { text } = (await json(request)) as { text: string };
    if (!expected.has(text)) {
      response.writeHead(200).end();
      return;
    }
    received.push(text);
    const fail = failures[received.length];
    if (fail === undefined) {
      response.writeHead(200).end('ok');
      if (new Set(received).size === expected.size) arrived.resolve();
    } else {
      untaken.push(text);
      fail(response);
    }
  }

  const webhook = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1');
  await once(webhook, 'listening');
  const { port } = webhook.address() as AddressInfo;
  const position = join(folder, `${form}.position`);
  // Begins with the first event that the server has.
  writeFileSync(position, '0');

  /** Starts the forwarder in a process group of its own; `over` resolves when no process of it is left. */
  function start() {
    const settings = { WEBHOOK_URL: `http://127.0.0.1:${port}/`, POSITION_FILE: position };
    const child = spawn(program, args, {
      ...{ cwd: folder, env: { ...env, ...settings }, detached: true },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    running = child;
    return { over: once(child, 'close').then(([code]) => ({ code, stderr })), child };
  }

  async function until(event: Promise<void>, what: string, over: Promise<{ stderr: string }>): Promise<void> {
    const limit = AbortSignal.timeout(LIMIT_MS);
    const ended = over.then(({ stderr }) => Promise.reject(new Error(`${form}: ended before ${what}: ${stderr}`)));
    const late = once(limit, 'abort').then(() => Promise.reject(new Error(`${form}: too late: ${what}`)));
    await Promise.race([event, ended, late]);
  }

  try {
    const first = start();
    const created = (async () => {
      for (const name of names) await api('POST', '/admin-api/change', { kind: 'deploy', name });
    })();
    await until(killed.promise, 'the crash', first.over);
    await first.over;
    const second = start();
    await created;
    await until(arrived.promise, 'the last event', second.over);
    second.child.kill('SIGTERM');
    const { code, stderr } = await second.over;
    check(code === 0, `events-to-webhook ends with 0 on SIGTERM, ${form}${code === 0 ? '' : `: ${code} ${stderr}`}`);
  } finally {
    if (running?.exitCode === null && running.signalCode === null) process.kill(-(running.pid ?? 0), 'SIGKILL');
    webhook.closeAllConnections();
    webhook.close();
  }
  const inOrder = isDeepStrictEqual([...new Set(received)], [...expected]);
  check(inOrder, `events-to-webhook forwards ${count} events in order through a crash, ${form}`);
  const repeated = received.filter((text, index) => received.indexOf(text) < index);
  check(isDeepStrictEqual(repeated, untaken), `it repeats the messages that were not taken, and no others, ${form}`);
  const stored = Number(readFileSync(position, 'utf8')) > 0;
  check(stored && !existsSync(`${position}.tmp`), `it stores its position, ${form}`);
}
