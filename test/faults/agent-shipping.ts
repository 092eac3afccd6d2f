// Ships real log files through the built agent to the built server, while both are killed (SIGKILL) repeatedly and the
// files are rotated. The server must count every written line once.
//
//   pnpm faults agent-shipping [--lines 200000] [--rate 2500] [--server ...] [--agent ...] [--broken
// positions|keys|copies]
//
// nginx writes two error logs. One is rotated by renaming and USR1, the other by copying and truncating, as logrotate's
// copytruncate does. Nobody writes during the copy, because such lines would be lost without any agent. A third file
// holds JSON, plain lines and stack traces. `--broken` breaks the agent on purpose, to prove that this script detects
// it.
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { call, newAgent, newNginx, newServer, newToken, type Program } from './shipping-world.ts';

const { values: options } = parseArgs({
  options: {
    lines: { type: 'string', default: '200000' },
    rate: { type: 'string', default: '2500' },
    server: { type: 'string', default: 'apps/server/dist/main.js' },
    agent: { type: 'string', default: 'apps/agent/dist/main.js' },
    broken: { type: 'string' },
  },
});
const LINES = Number(options.lines);
const RATE = Number(options.rate);
const CONNECTIONS = 16;
/** Sites; each of the three files has an equal share of the lines. */
const SITES = ['renamed', 'truncated', 'written'] as const;
type Site = (typeof SITES)[number];
/** Milliseconds without a change after which the count of the server is final. */
const SETTLED_MS = 20_000;
const ERRLOG = '/admin-api/log_server/errlog';

const say = (line: string) => void process.stdout.write(`${line}\n`);
const between = (min: number, max: number) => min + Math.random() * (max - min);

const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-shipping-'));
const logs = join(dir, 'logs');
mkdirSync(join(dir, 'data'));
const rotations: Record<Site, number> = { renamed: 0, truncated: 0, written: 0 };
let isWriting = true;

/** Makes nginx write one line. */
function ask(agent: Agent, port: number, site: Site, n: number): Promise<void> {
  const headers = { Host: `${site}.example` };
  return new Promise((done, fail) => {
    const asked = request({ port, host: '127.0.0.1', path: `/n/${n}.html`, headers, agent }, (answer) => {
      answer.resume();
      answer.once('end', done);
    });
    asked.once('error', fail);
    asked.end();
  });
}

/** Writes one entry, sometimes of several lines. */
function write(n: number): void {
  const mark = `/n/${n}.html`;
  const trace = `TypeError: nothing at ${mark}\n    at handle (/srv/app/handle.js:10:5)\n    at main (/srv/app/main.js:3:1)\n`;
  const forms = [`{"level":50,"msg":"cannot read ${mark}"}\n`, `2026-11-21 10:00:00 WARN no file ${mark}\r\n`, trace];
  appendFileSync(join(logs, 'written.log'), forms[n % forms.length] ?? '');
}

/** Renames `name`, `name.1`, ... to the next number. */
function shift(name: string): void {
  let last = 0;
  while (existsSync(join(logs, `${name}.${last + 1}`))) last += 1;
  for (let i = last; i > 0; i -= 1) renameSync(join(logs, `${name}.${i}`), join(logs, `${name}.${i + 1}`));
}

/** Holds the writers of the file that is copied and truncated. */
const gate = { isClosed: false, inside: 0 };

async function rotate(site: Site, nginx: Program): Promise<void> {
  const path = join(logs, `${site}.log`);
  if (!existsSync(path)) return;
  rotations[site] += 1;
  if (site !== 'truncated') {
    shift(`${site}.log`);
    renameSync(path, `${path}.1`);
    if (site === 'renamed' && nginx.pid !== undefined) process.kill(nginx.pid, 'SIGUSR1');
    return;
  }
  gate.isClosed = true;
  while (gate.inside > 0) await delay(1);
  shift(`${site}.log`);
  copyFileSync(path, `${path}.1`);
  await delay(between(0, 20));
  truncateSync(path);
  gate.isClosed = false;
}

async function writeAll(port: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS * 2 });
  const startedMs = performance.now();
  let next = 0;
  const writer = async () => {
    while (next < LINES) {
      const n = next;
      next += 1;
      const site = SITES[n % SITES.length] ?? 'written';
      while (site === 'truncated' && gate.isClosed) await delay(1);
      if (site === 'truncated') gate.inside += 1;
      if (site === 'written') write(n);
      else await ask(agent, port, site, n);
      if (site === 'truncated') gate.inside -= 1;
      const aheadMs = (next / RATE) * 1000 - (performance.now() - startedMs);
      if (aheadMs > 0) await delay(aheadMs);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, writer));
  agent.destroy();
  isWriting = false;
}

/** Kills a program at random moments, for random times. */
async function killRepeatedly(program: Program, upMs: number, downMs: number): Promise<void> {
  while (isWriting) {
    await delay(between(50, upMs));
    await program.kill();
    await delay(between(0, downMs));
    await program.start();
  }
}

async function rotateAll(nginx: Program): Promise<void> {
  while (isWriting) {
    await delay(between(100, 2_500));
    await rotate(SITES[Math.floor(Math.random() * SITES.length)] ?? 'written', nginx);
  }
}

const NUMBER = /\/n\/(\d+)\.html/;

/** Counts each number in the files, including rotated ones. */
function countWritten(): Uint8Array {
  const seen = new Uint8Array(LINES);
  for (const name of readdirSync(logs).filter((file) => file.includes('.log'))) {
    for (const line of readFileSync(join(logs, name), 'utf8').split('\n')) {
      const n = NUMBER.exec(line)?.[1];
      if (n !== undefined) seen[Number(n)] = (seen[Number(n)] ?? 0) + 1;
    }
  }
  return seen;
}

interface Group {
  readonly id: number;
  readonly count: number;
}

const listGroups = async (url: string, token: string) =>
  (await call<{ data: Group[] }>(url, `${ERRLOG}?page_size=1000`, token)).data;

const sumOf = (groups: readonly Group[]) => groups.reduce((sum, { count }) => sum + count, 0);

/** Waits until the count is reached, or stays unchanged. */
async function settle(url: string, token: string, expected: number): Promise<number> {
  let count = -1;
  for (let sinceMs = performance.now(); performance.now() - sinceMs < SETTLED_MS; await delay(500)) {
    const now = sumOf(await listGroups(url, token));
    if (now !== count) sinceMs = performance.now();
    count = now;
    if (count === expected) break;
  }
  // Duplicates would arrive now.
  await delay(3_000);
  return sumOf(await listGroups(url, token));
}

/** Reads how often the server has stored each number. */
async function countStored(url: string, token: string): Promise<Uint8Array> {
  const seen = new Uint8Array(LINES);
  for (const { id } of await listGroups(url, token)) {
    for (let page = 1; ; page += 1) {
      const path = `${ERRLOG}/${id}/events?page=${page}&page_size=10000`;
      const { data } = await call<{ data: { log: string }[] }>(url, path, token);
      if (data.length === 0) break;
      for (const { log } of data) {
        const n = NUMBER.exec(log)?.[1];
        if (n !== undefined) seen[Number(n)] = (seen[Number(n)] ?? 0) + 1;
      }
    }
  }
  return seen;
}

const numbersWith = (seen: Uint8Array, is: (times: number) => boolean) =>
  Array.from(seen.entries()).flatMap(([n, times]) => (is(times) ? [n] : []));

const { url, program: server } = await newServer(options.server, join(dir, 'data'));
const nginx = await newNginx(dir);
try {
  await Promise.all([server.start(), nginx.program.start()]);
  const token = await newToken(url);
  const env = {
    QUARTERDECK_URL: url,
    QUARTERDECK_ENROLL_TOKEN: token,
    QUARTERDECK_AGENT_DIR: join(dir, 'agent'),
    QUARTERDECK_AGENT_FILES: `${logs}/*.log`,
    ...(options.broken === undefined ? {} : { BROKEN: options.broken }),
  };
  const agent = newAgent(options.agent, env, options.broken === undefined ? [] : ['test/faults/broken-shipping.ts']);
  const startedMs = performance.now();
  await agent.start();
  // Files rotated away before their first poll are not shipped.
  while (!existsSync(join(dir, 'agent', 'spool')) || readdirSync(join(dir, 'agent', 'spool')).length === 0)
    await delay(20);
  await Promise.all([
    writeAll(nginx.port),
    rotateAll(nginx.program),
    killRepeatedly(agent, 4_000, 1_500),
    killRepeatedly(server, 8_000, 1_500),
  ]);
  const written = countWritten();
  const count = await settle(url, token, LINES);
  const stored = await countStored(url, token);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const wrong = {
    'not written once by nginx or this script': numbersWith(written, (times) => times !== 1),
    lost: numbersWith(stored, (times) => times === 0),
    doubled: numbersWith(stored, (times) => times > 1),
  };
  say(`${LINES} entries in ${seconds} s; agent killed ${agent.kills} times, server ${server.kills} times`);
  say(`rotated: renamed ${rotations.renamed + rotations.written}, copied and truncated ${rotations.truncated}`);
  say(`the server counts ${count}`);
  for (const [what, numbers] of Object.entries(wrong)) {
    if (numbers.length > 0) say(`WRONG ${what}: ${numbers.length}, such as ${numbers.slice(0, 10).join(' ')}`);
  }
  const isExact = count === LINES && Object.values(wrong).every((numbers) => numbers.length === 0);
  say(isExact ? 'every line is counted once' : 'FAILED');
  process.exitCode = isExact ? 0 : 1;
  await agent.end('SIGTERM');
  await Promise.all([server.end('SIGTERM'), nginx.program.end('SIGTERM')]);
} finally {
  if (process.env['KEEP'] === undefined) rmSync(dir, { recursive: true, force: true });
  else say(dir);
}
