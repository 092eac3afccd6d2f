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

/** A server that stores each change once, by its number. */
class Server {
  readonly stored: HostChange[] = [];

  store(changes: readonly HostChange[]): number {
    for (const change of changes) if (change.seq > this.last) this.stored.push(change);
    return this.last;
  }

  get last(): number {
    return this.stored.at(-1)?.seq ?? 0;
  }
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
    const child = spawn(process.execPath, ['--conditions=@quarterdeck/source', PROGRAM, agentDir, tree], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'close');
    child.stdin.on('error', () => undefined);
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      seen += 1;
      // Some last reports do not reach the server.
      const isLost = seen === reports && reports % 2 === 0;
      const last = isLost ? server.last : server.store(JSON.parse(line) as HostChange[]);
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
