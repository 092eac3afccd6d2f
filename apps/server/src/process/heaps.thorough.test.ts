import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MB = 1024 * 1024;

/** The growth of a thread's largest heap between two sizes of its young generation, in a process with a flag for it. */
function growthUnderFlag(): number {
  const program = `
    import { Worker } from 'node:worker_threads';
    (await import('${new URL('./heaps.ts', import.meta.url)}')).letThreadsSizeTheirHeaps();
    const tell = "import { parentPort } from 'node:worker_threads'; import { getHeapStatistics } from 'node:v8';" +
      'parentPort.postMessage(getHeapStatistics().heap_size_limit)';
    const limitWith = (maxYoungGenerationSizeMb) => new Promise((resolve) => {
      const resourceLimits = { maxYoungGenerationSizeMb, maxOldGenerationSizeMb: 64 };
      new Worker(new URL('data:text/javascript,' + tell), { resourceLimits, execArgv: [] }).once('message', resolve);
    });
    console.log((await limitWith(48)) - (await limitWith(6)));`;
  const flags = ['--conditions=@quarterdeck/source', '--max-semi-space-size=2', '--input-type=module'];
  return Number(execFileSync(process.execPath, [...flags, '--eval', program], { encoding: 'utf8' }));
}

it('gives the heap of a thread the young generation of its own limits', () => {
  expect(growthUnderFlag()).toBeGreaterThan(20 * MB);
});
