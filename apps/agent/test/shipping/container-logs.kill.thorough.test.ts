// Kills a process that ships the output of containers, at any moment: no line may be lost, and none may count twice.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { WireLine } from '../../src/lines/wire-line.ts';
import { startFakeConsole } from '../fake-console.ts';
import { temporaryFolder } from '../temporary.ts';
import { startFakeEngine } from './fake-engine.ts';
import { batches, eventually, SECRET } from './running-shipper.ts';

const PROGRAM = fileURLToPath(new URL('shipping-process.ts', import.meta.url));
const KILLS = 12;

it('loses no line and repeats none, however often it is killed', { timeout: 120_000 }, async () => {
  const [dir, server, engine] = [await temporaryFolder(), await startFakeConsole(), await startFakeEngine()];
  const [web, terminal] = [engine.run('web'), engine.run('terminal', { tty: true })];
  const written: string[] = [];
  let writes = 0;

  /** The lines of all batches; a batch that was sent twice counts once, as on the server. */
  const stored = (): string[] => {
    const byKey = new Map(batches(server).map(({ key, body }) => [key, body as WireLine[]]));
    return [...byKey.values()].flat().map(({ log }) => log);
  };

  /** Writes lines to both containers: some with one time, and some in pieces. */
  function write(): void {
    writes += 1;
    const lines = Array.from({ length: 30 }, (_, n) => `line ${written.length + n} of web`);
    const pieces = lines.flatMap((line, n) => (n % 7 === 0 ? [line.slice(0, 5), `${line.slice(5)}\n`] : [`${line}\n`]));
    engine.write(web, pieces, { stream: writes % 4 === 0 ? 2 : 1, sameTime: writes % 3 === 0 });
    const others = lines.map((line) => `${line} and terminal`);
    engine.write(
      terminal,
      others.map((line) => `${line}\r\n`),
      { sameTime: writes % 5 === 0 },
    );
    written.push(...lines, ...others);
  }

  /** Starts the process, and waits until it looks at the containers. */
  async function start(): Promise<ChildProcess> {
    const looks = engine.requests.length;
    const flags = ['--conditions=@quarterdeck/source', PROGRAM, dir, engine.socket, server.url, SECRET];
    const child = spawn(process.execPath, flags, { stdio: ['ignore', 'inherit', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await eventually(() => engine.requests.length).toBeGreaterThan(looks);
    return child;
  }

  /** Runs the process until the server has some more batches, and kills it. */
  async function run(more: number): Promise<void> {
    const child = await start();
    const ended = once(child, 'close');
    const until = batches(server).length + more;
    await eventually(() => {
      write();
      return batches(server).length >= until;
    }).toBe(true);
    child.kill('SIGKILL');
    await ended;
    write();
  }

  for (let n = 1; n <= KILLS; n += 1) await run(n % 4);
  expect(stored().length).toBeGreaterThan(0);
  expect(stored().length).toBeLessThan(written.length);
  await start();
  await eventually(() => stored().length).toBeGreaterThanOrEqual(written.length);
  expect(stored().toSorted()).toEqual(written.toSorted());
});
