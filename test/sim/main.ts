// Simulates the agent's spool: `pnpm sim --seed N`, `--seeds FROM-TO`, `--defects`. Output depends on the seeds only.
import { parseArgs } from 'node:util';
import { DEFECTS, simulateSpool } from './spool-world.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, seeds: { type: 'string' }, defects: { type: 'boolean', default: false } },
});
const [from = 1, to = from] = (values.seed ?? values.seeds ?? '1-1000').split('-').map(Number);
if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) throw new Error('Seeds are numbers: --seeds 1-1000');

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Runs every seed; true when all promises were kept. */
async function runSeeds(): Promise<boolean> {
  let broken = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const promise = await simulateSpool(seed);
    if (promise === undefined) continue;
    broken += 1;
    print(`broken: ${promise}`);
  }
  print(`${to - from + 1} seeds, ${broken} with a broken promise`);
  return broken === 0;
}

/** Plants each defect; true when the seeds found all of them. */
async function runDefects(): Promise<boolean> {
  let missed = 0;
  for (const defect of DEFECTS) {
    let promise: string | undefined;
    for (let seed = from; seed <= to && promise === undefined; seed += 1) promise = await simulateSpool(seed, defect);
    print(`${defect}: ${promise ?? 'not found'}`);
    if (promise === undefined) missed += 1;
  }
  return missed === 0;
}

process.exitCode = (await (values.defects ? runDefects() : runSeeds())) ? 0 : 1;
