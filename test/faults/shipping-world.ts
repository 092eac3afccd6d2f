// Server, agent and nginx for `agent-shipping.ts`: real programs that can be killed and restarted.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signIn } from '../../packages/sdk/src/index.ts';
import { freePort } from '../free-port.ts';

/** Time after which a start hangs. */
const START_MAX_MS = 120_000;
/** Characters of the end of what a program says that an error repeats. */
const SAID_MAX = 2_000;
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
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-SAID_MAX);
    });
    const giveUpMs = performance.now() + START_MAX_MS;
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || performance.now() > giveUpMs) {
        throw new Error(`a program did not start: exit ${child.exitCode}: ${said}`);
      }
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
      stdio: ['ignore', 'ignore', 'pipe'],
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

/** Creates an API token of the administrator. */
export async function newToken(url: string): Promise<string> {
  const { client } = await signIn({ url, username: 'admin', password: PASSWORD });
  return (await client.apiToken.create({ body: { name: 'shipping' } })).token;
}

/** Flags of `pnpm agent`. A broken one loads TypeScript, which Node parses with WebAssembly: not with --jitless. */
const FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=64'];

/** An agent that follows files. */
export const newAgent = (env: Record<string, string>, isBroken: boolean): Program =>
  new Program(() =>
    spawn(process.execPath, [...FLAGS, ...(isBroken ? [] : ['--jitless']), 'apps/agent/dist/main.js'], {
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
