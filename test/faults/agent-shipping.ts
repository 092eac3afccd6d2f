// `pnpm faults agent-shipping [--lines 200000] [--rate 2500] [--broken DEFECT]`: ships real log files through the
// built agent to the built server, while both are killed repeatedly and the files are rotated. The server must count
// every written line once. DEFECT is positions, keys or copies: see broken-server.ts, and README.md beside this file.
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
} from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { breakServer } from './broken-server.ts';
import { type Clients, clientsOf, untilAnswered } from './night/calls.ts';
import { conclude, newFolder, readOptions } from './script.ts';
import { newAgent, newNginx, newServer, newToken, type Program } from './shipping-world.ts';

const { lines: LINES, rate: RATE, broken } = readOptions('', { lines: 200_000, rate: 2_500, broken: '' });
if (broken !== '') breakServer(broken);
const CONNECTIONS = 16;
/** Sites; each of the three files has an equal share of the lines. */
const SITES = ['renamed', 'truncated', 'written'] as const;
type Site = (typeof SITES)[number];
/** Milliseconds without a change after which lines are missing for good. */
const SETTLED_MS = 120_000;

const between = (min: number, max: number) => min + Math.random() * (max - min);

using folder = newFolder();
const dir = folder.path;
const logs = join(dir, 'logs');
const spool = join(dir, 'agent', 'spool');
const spooled = () => readdirSync(spool).filter((name) => name.endsWith('.batch'));
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

/** Counts how often each number is in some texts. */
function countNumbers(texts: Iterable<string>, seen = new Uint8Array(LINES)): Uint8Array {
  for (const text of texts) {
    const n = NUMBER.exec(text)?.[1];
    if (n !== undefined) seen[Number(n)] = (seen[Number(n)] ?? 0) + 1;
  }
  return seen;
}

/** Counts each number in the files, including rotated ones. */
function countWritten(): Uint8Array {
  const files = readdirSync(logs).filter((file) => file.includes('.log'));
  return countNumbers(files.flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n')));
}

const listGroups = async (clients: Clients) =>
  (await untilAnswered(clients, ({ errlog }) => errlog.list({ query: { page_size: 1000 } }))).data;

const sumOf = (groups: readonly { readonly count: number }[]) => groups.reduce((sum, { count }) => sum + count, 0);

/** Waits until the count is reached, or stays unchanged. */
async function settle(clients: Clients, expected: number): Promise<number> {
  let count = -1;
  for (let sinceMs = performance.now(); performance.now() - sinceMs < SETTLED_MS; await delay(500)) {
    const now = sumOf(await listGroups(clients));
    if (now !== count) sinceMs = performance.now();
    count = now;
    if (count === expected) break;
  }
  // A batch can come twice as long as it is in the spool.
  while (spooled().length > 0) await delay(100);
  return sumOf(await listGroups(clients));
}

/** Reads how often the server has stored each number. */
async function countStored(clients: Clients): Promise<Uint8Array> {
  const seen = new Uint8Array(LINES);
  for (const { id } of await listGroups(clients)) {
    for (let page = 1; ; page += 1) {
      const query = { page, page_size: 10_000 };
      const { data } = await untilAnswered(clients, ({ errlog }) => errlog.occurrences({ params: { id }, query }));
      if (data.length === 0) break;
      countNumbers(
        data.map(({ log }) => log),
        seen,
      );
    }
  }
  return seen;
}

const numbersWith = (seen: Uint8Array, is: (times: number) => boolean) =>
  Array.from(seen.entries()).flatMap(([n, times]) => (is(times) ? [n] : []));

const { url, program: server } = await newServer('apps/server/dist/main.js', join(dir, 'data'));
const nginx = await newNginx(dir);
await Promise.all([server.start(), nginx.program.start()]);
const token = await newToken(url);
const clients = clientsOf([url], token);
const env = {
  QUARTERDECK_URL: url,
  QUARTERDECK_ENROLL_TOKEN: token,
  QUARTERDECK_AGENT_DIR: join(dir, 'agent'),
  QUARTERDECK_AGENT_FILES: `${logs}/*.log`,
};
const agent = newAgent(env, broken !== '');
const startedMs = performance.now();
await agent.start();
// Files rotated away before their first poll are not shipped.
while (!existsSync(spool) || readdirSync(spool).length === 0) await delay(20);
await Promise.all([
  writeAll(nginx.port),
  rotateAll(nginx.program),
  killRepeatedly(agent, 4_000, 1_500),
  killRepeatedly(server, 8_000, 1_500),
]);
const written = countWritten();
const count = await settle(clients, LINES);
const stored = await countStored(clients);
const seconds = Math.round((performance.now() - startedMs) / 1000);
const numbers = {
  'not written once by nginx or this script': numbersWith(written, (times) => times !== 1),
  lost: numbersWith(stored, (times) => times === 0),
  doubled: numbersWith(stored, (times) => times > 1),
};
console.log(`${LINES} entries in ${seconds} s; agent killed ${agent.kills} times, server ${server.kills} times`);
console.log(`rotated: renamed ${rotations.renamed + rotations.written}, copied and truncated ${rotations.truncated}`);
console.log(`the server counts ${count}`);
const wrong = Object.entries(numbers)
  .filter(([, list]) => list.length > 0)
  .map(([what, list]) => `${what}: ${list.length}, such as ${list.slice(0, 10).join(' ')}`);
if (count !== LINES) wrong.push(`the server counts ${count}, not ${LINES}`);
await agent.end('SIGTERM');
await Promise.all([server.end('SIGTERM'), nginx.program.end('SIGTERM')]);
conclude(wrong, 'every line is counted once');
