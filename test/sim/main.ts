// Simulates server and agents: `pnpm sim --seed N [--hours H]`, `--seeds FROM-TO`, `--defects`. The output depends on
// the options only.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { DEFECTS, plant } from './defects.ts';
import { install } from './platform.ts';
import { runSimulation } from './run-simulation.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    hours: { type: 'string', default: '0.04' },
    /** Prints what happened. */
    events: { type: 'boolean', default: false },
    /** Plants one defect; ends with the first seed that finds it. */
    defect: { type: 'string' },
    defects: { type: 'boolean', default: false },
    processes: { type: 'string', default: String(availableParallelism()) },
  },
});
const [from = 1, to = from] = (values.seed ?? values.seeds ?? '1-1000').split('-').map(Number);
if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) throw new Error('Seeds are numbers: --seeds 1-1000');
const hours = Number(values.hours);
if (!(hours > 0)) throw new Error('Hours are a number above 0: --hours 0.5');
const processes = Math.min(Number(values.processes), to - from + 1);

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Simulates the seeds in this process. Returns the number of those that broke a promise. */
async function simulateHere(): Promise<number> {
  if (values.defect !== undefined) plant(values.defect);
  install();
  const { simulate } = await import('./world.ts');
  let broken = 0;
  for (let seed = from; seed <= to && (broken === 0 || values.defect === undefined); seed += 1) {
    const { broken: promise, events } = await simulate(seed, hours);
    if (values.events) for (const event of events) print(event);
    if (promise === undefined) continue;
    broken += 1;
    print(`broken: ${promise}`);
  }
  return broken;
}

/** Runs this program with other options in a process of its own. Returns its output. */
const simulateIn = (...options: readonly string[]) => runSimulation(`--hours=${hours}`, '--processes=1', ...options);

/** Simulates parts of the seeds at the same time. Returns the number of those that broke a promise. */
async function simulateParts(): Promise<number> {
  const size = Math.ceil((to - from + 1) / processes);
  const starts = Array.from({ length: processes }, (_, i) => from + i * size).filter((start) => start <= to);
  const events = values.events ? ['--events'] : [];
  const parts = starts.map((start) => simulateIn(`--seeds=${start}-${Math.min(to, start + size - 1)}`, ...events));
  const lines = (await Promise.all(parts)).join('').split('\n').filter(Boolean);
  for (const line of lines) print(line);
  return lines.filter((line) => line.startsWith('broken: ')).length;
}

/** Plants each defect, some at the same time. Returns the number of those that the seeds did not find. */
async function findDefects(): Promise<number> {
  const names = Object.keys(DEFECTS);
  const found = new Map<string, string>();
  const work = names.values();
  const findSome = async () => {
    for (const name of work) found.set(name, await simulateIn(`--seeds=${from}-${to}`, `--defect=${name}`));
  };
  await Promise.all(Array.from({ length: processes }, findSome));
  for (const name of names) print(`${name}: ${found.get(name)?.trim() || 'not found'}`);
  const missed = names.filter((name) => found.get(name) === '').length;
  print(`${names.length} defects, ${missed} not found`);
  return missed;
}

async function main(): Promise<number> {
  if (values.defects) return findDefects();
  // The parts of others print no sum.
  if (processes === 1 && values.seed === undefined) return simulateHere();
  const broken = processes === 1 ? await simulateHere() : await simulateParts();
  print(`${to - from + 1} seeds, ${broken} with a broken promise`);
  return broken;
}

process.exitCode = (await main()) === 0 ? 0 : 1;
