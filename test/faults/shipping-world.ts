// Server, agent and nginx for `agent-shipping.ts`: real programs that can be killed and restarted.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../packages/core/test/postgres.ts';

const START_MAX_MS = 120_000;
const PASSWORD = randomUUID();

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** A program that is started, killed and restarted. */
export class Program {
  readonly #start: () => ChildProcess;
  readonly #isReady: () => Promise<boolean>;
  #child: ChildProcess | undefined;
  kills = 0;

  constructor(start: () => ChildProcess, isReady: () => Promise<boolean> = async () => true) {
    this.#start = start;
    this.#isReady = isReady;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const child = this.#start();
    this.#child = child;
    children.add(child);
    const giveUpMs = performance.now() + START_MAX_MS;
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || performance.now() > giveUpMs) throw new Error('a program did not start');
      await delay(10);
    }
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('a program ended by itself');
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  async kill(): Promise<void> {
    this.kills += 1;
    await this.end('SIGKILL');
  }
}

const isUp = (url: string) => () =>
  fetch(url, { signal: AbortSignal.timeout(10_000) }).then(
    () => true,
    () => false,
  );

/** A server on a fixed address. */
export async function newServer(main: string, dataDir: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = () =>
    spawn(process.execPath, [resolve(main)], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        QUARTERDECK_PORT: String(port),
        QUARTERDECK_DATA_DIR: dataDir,
        QUARTERDECK_SYSLOG_PORT: 'off',
        QUARTERDECK_ADMIN_PASSWORD: PASSWORD,
        QUARTERDECK_AGENT_INTERVAL: '1',
        QUARTERDECK_LOG_LEVEL: 'error',
      },
    });
  return { url, program: new Program(start, isUp(`${url}/readyz`)) };
}

/** Sends a request as the administrator; retries while the server is down. */
export async function call<T>(url: string, path: string, token?: string, body?: object): Promise<T> {
  for (;;) {
    try {
      const response = await fetch(url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (response.ok) return ((await response.json()) as { data: T }).data;
      if (response.status < 500) throw new TypeError(`${path}: ${response.status} ${await response.text()}`);
    } catch (error) {
      if (error instanceof TypeError && error.cause === undefined) throw error;
    }
    await delay(100);
  }
}

/** Creates an API token of the administrator. */
export async function newToken(url: string): Promise<string> {
  const login = { username: 'admin', password: PASSWORD };
  const session = await call<{ token: string }>(url, '/admin-api/user/login', undefined, login);
  return (await call<{ token: string }>(url, '/admin-api/api_token', session.token, { name: 'shipping' })).token;
}

/**
 * Flags of `pnpm agent`. The modules that break it are TypeScript, which Node parses with WebAssembly and so not under
 * --jitless.
 */
const FLAGS = ['--jitless', '--max-semi-space-size=1', '--max-old-space-size=64'];
const loading = (hook: string) => ['--import', resolve(hook)];

/** An agent that follows files; `hooks` are modules loaded before it. */
export const newAgent = (main: string, env: Record<string, string>, hooks: readonly string[]): Program =>
  new Program(() =>
    spawn(process.execPath, [...(hooks.length === 0 ? FLAGS : hooks.flatMap(loading)), resolve(main)], {
      stdio: ['ignore', process.env['SHOW_AGENT'] ? 'inherit' : 'ignore', 'inherit'],
      env: { ...process.env, ...env },
    }),
  );

/** An nginx with two sites, each with its own error log: each request to one of them is one line. */
export async function newNginx(dir: string) {
  const port = await freePort();
  mkdirSync(join(dir, 'logs'), { recursive: true });
  const site = (name: string) => `server {
      listen 127.0.0.1:${port}; server_name ${name}.example; root ${dir}/html;
      error_log ${dir}/logs/${name}.log error; keepalive_requests 1000000;
    }`;
  writeFileSync(
    join(dir, 'nginx.conf'),
    `daemon off; user root; worker_processes 1; pid ${dir}/nginx.pid; error_log ${dir}/logs/own.txt;
    events {}
    http {
      access_log off;
      client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy; fastcgi_temp_path ${dir}/fastcgi;
      uwsgi_temp_path ${dir}/uwsgi; scgi_temp_path ${dir}/scgi;
      server { listen 127.0.0.1:${port} default_server; error_log ${dir}/logs/own.txt; return 204; }
      ${site('renamed')}
      ${site('truncated')}
    }`,
  );
  const args = ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'logs', 'own.txt')];
  const start = () => spawn('nginx', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  return { port, program: new Program(start, isUp(url)) };
}
