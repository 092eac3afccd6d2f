// Kills a process that watches a tree, at any moment: no change may be lost, and none may count twice.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HostChange } from '@quarterdeck/core';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary.ts';

const PROGRAM = fileURLToPath(new URL('watching-process.ts', import.meta.url));
const KILLS = 12;

interface Report {
  /** Unix milliseconds. */
  readonly sentMs: number;
  readonly changes: readonly HostChange[];
}

/** A server that stores each change once, by its number, with the interval in which it happened. */
class Server {
  readonly stored: (HostChange & { readonly sinceMs: number; readonly timeMs: number })[] = [];

  store({ sentMs, changes }: Report): number {
    for (const change of changes) {
      if (change.seq <= this.last) continue;
      const { ago, since_ago: sinceAgo = ago } = change;
      this.stored.push({ ...change, sinceMs: sentMs - sinceAgo * 1000, timeMs: sentMs - ago * 1000 });
    }
    return this.last;
  }

  get last(): number {
    return this.stored.at(-1)?.seq ?? 0;
  }
}

function startWatching(agentDir: string, tree: string, killedBefore = 0) {
  const words = ['--conditions=@quarterdeck/source', PROGRAM, agentDir, tree, String(killedBefore)];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  return { child, ended: once(child, 'close') };
}

it('loses no change and repeats none, however often it is killed', { timeout: 120_000 }, async () => {
  const [agentDir, tree] = [await temporaryFolder(), join(await temporaryFolder(), 'nginx')];
  await mkdir(tree);
  const path = join(tree, 'nginx.conf');
  await writeFile(path, 'content 0');
  const server = new Server();
  let writes = 0;

  /** Runs the watcher for some reports, and kills it. */
  async function run(reports: number): Promise<void> {
    const { child, ended } = startWatching(agentDir, tree);
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      seen += 1;
      // Some last reports do not reach the server.
      const isLost = seen === reports && reports % 2 === 0;
      const last = isLost ? server.last : server.store(JSON.parse(line) as Report);
      writes += 1;
      await writeFile(path, `content ${writes}`);
      // The kill comes before, while or after the process stores the answer and the next observation.
      child.stdin.write(`${last}\n`);
      if (seen < reports) continue;
      if (reports % 3 > 0) for (let turns = 0; turns < reports * 40; turns += 1) await new Promise(setImmediate);
      child.kill('SIGKILL');
    }
    await ended;
  }

  for (let n = 1; n <= KILLS; n += 1) await run(n);
  const killed = server.stored.length;
  // The last run sends all that is left.
  await run(KILLS + 1);
  expect(killed).toBeGreaterThan(KILLS);
  const chain = server.stored.filter(({ field }) => field === path);
  expect(chain.map(({ from }) => from).slice(1)).toEqual(chain.map(({ to }) => to).slice(0, -1));
  expect(new Set(chain.map(({ seq }) => seq)).size).toBe(chain.length);
});

const CHANGES = 1_000;
const PER_START = 20;
/** Reports of a process that nothing killed before. */
const REPORTS = 3;
/** Most changes of the file system before a kill. */
const WRITES = 40;
/** The file system notes times with ticks of the kernel's clock, and reports round to milliseconds. */
const TICK_MS = 20;

it('finds what changed while it was down, each change once and in its interval', { timeout: 300_000 }, async () => {
  const [agentDir, tree] = [await temporaryFolder(), join(await temporaryFolder(), 'nginx')];
  await mkdir(tree);
  const pathOf = (n: number) => join(tree, `${n}.conf`);
  // Half of the changes are new files.
  for (let n = 0; n < CHANGES; n += 2) await writeFile(pathOf(n), `content ${n}`);
  const server = new Server();
  const madeMs = new Map<string, readonly [beforeMs: number, afterMs: number]>();
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };

  /** Runs the watcher until it is killed, or for some reports. Some reports do not reach the server. */
  async function run(killedBefore: number): Promise<void> {
    const { child, ended } = startWatching(agentDir, tree, killedBefore);
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      seen += 1;
      const fate = killedBefore === 0 ? 2 : random(3);
      const last = fate === 0 ? server.last : server.store(JSON.parse(line) as Report);
      if (seen === REPORTS || fate === 1) child.kill('SIGKILL');
      else child.stdin.write(`${last}\n`);
    }
    await ended;
  }

  await run(0);
  const startedMs = Date.now();
  for (let n = 0; n < CHANGES; n += PER_START) {
    for (let at = n; at < n + PER_START; at += 1) {
      const beforeMs = Date.now();
      await writeFile(pathOf(at), `content ${at}, changed`);
      madeMs.set(pathOf(at), [beforeMs, Date.now()]);
    }
    await run(1 + random(WRITES));
  }
  while (server.stored.length < CHANGES) {
    const before = server.stored.length;
    await run(0);
    if (server.stored.length === before) break;
  }
  const fields = server.stored.map(({ field }) => field);
  expect(new Set(fields)).toEqual(new Set(madeMs.keys()));
  expect(fields).toHaveLength(CHANGES);
  const outside = server.stored.filter(({ field, sinceMs, timeMs }) => {
    const [beforeMs = 0, afterMs = 0] = madeMs.get(field) ?? [];
    return sinceMs > afterMs || timeMs < beforeMs - TICK_MS;
  });
  expect(outside).toEqual([]);
  expect(server.stored.filter(({ since_ago: since }) => since === undefined)).toEqual([]);
  // Kills keep few looks from being known.
  expect(server.stored.filter(({ sinceMs }) => sinceMs > startedMs).length).toBeGreaterThan(CHANGES / 2);
});
