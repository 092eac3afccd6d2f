// Simulates the agent's spool: `pnpm sim --seed N`, `--seeds FROM-TO`, `--defects`. The output depends on the seeds only.
import { parseArgs } from 'node:util';
import { DEFECTS, simulateSpool } from './spool-world.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, seeds: { type: 'string' }, defects: { type: 'boolean', default: false } },
});
const [from = 1, to = from] = (values.seed ?? values.seeds ?? '1-1000').split('-').map(Number);
if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) throw new Error('Seeds are numbers: --seeds 1-1000');

let failures = 0;
for (const defect of values.defects ? DEFECTS : [undefined]) {
  let found = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const broken = await simulateSpool(seed, defect);
    if (broken === undefined) continue;
    found += 1;
    if (found === 1 || defect === undefined) console.log(`${defect ?? 'broken'}: ${broken}`);
    if (defect !== undefined) break;
  }
  if (defect === undefined ? found > 0 : found === 0) failures += 1;
  if (defect === undefined) console.log(`${to - from + 1} seeds, ${found} with a broken promise`);
  else if (found === 0) console.log(`${defect}: not found`);
}
process.exitCode = failures > 0 ? 1 : 0;
