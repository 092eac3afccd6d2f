import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';

/** Runs `pnpm sim` with options on a thread of its own: it replaces the clock. Returns its output. */
export async function runSimulation(...argv: readonly string[]): Promise<string> {
  const execArgv = ['--conditions=@quarterdeck/source'];
  const thread = new Worker(new URL('main.ts', import.meta.url), { argv: [...argv], execArgv, stdout: true });
  const [output] = await Promise.all([text(thread.stdout), once(thread, 'exit')]);
  return output;
}
