// Measures how often the server names the cause of an error, on generated incidents whose cause is known.
//
//   pnpm bench:causes [--seeds 1-300] [--without 1-300] [--json FILE]
//
// Each incident happens to a simulated fleet that speaks to a real server over HTTP, by a clock that the bench sets.
// The question is asked twice: 90 seconds after the first host has the error, and when all of them have it.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Fleet } from './fleet.ts';
import { makeIncident, planOf } from './incident.ts';
import { type Judged, judge, type Result } from './judge.ts';
import { printTables } from './table.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1-300' },
    without: { type: 'string', default: '1-300' },
    json: { type: 'string' },
  },
});

/** Numbers between the versions of two incidents. */
const VERSIONS = 1_009;

function seedsOf(range: string): number[] {
  const [first = 1, last = first] = range.split('-').map(Number);
  if (!Number.isInteger(first) || !Number.isInteger(last)) throw new Error(`Not a range of seeds: ${range}`);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}

const fleets = new Map<number, Fleet>();

async function fleetOf(size: number): Promise<Fleet> {
  const fleet = fleets.get(size) ?? (await Fleet.start(size));
  fleets.set(size, fleet);
  return fleet;
}

async function runIncident(seed: number, hasCause: boolean): Promise<Result> {
  const plan = planOf(seed, hasCause);
  const fleet = await fleetOf(plan.size);
  await fleet.tidy();
  const { timeline, truth } = makeIncident(fleet, plan, VERSIONS * (2 * seed + (hasCause ? 0 : 1)));
  const answers: Judged[] = [];
  for (const atS of [truth.earlyS, truth.settledS]) {
    timeline.after(atS, async () => {
      answers.push(await judge(fleet, plan, truth, await fleet.groupOf(truth.text)));
    });
  }
  await timeline.run();
  const [early, settled] = answers;
  if (early === undefined || settled === undefined) throw new Error(`seed ${seed}: no answer`);
  const { size, isBusy, kind, trap = 'plain' } = plan;
  return { seed, size, isBusy, kind: kind?.name ?? 'none', trap, affected: truth.onsets.size, early, settled };
}

const cpuBefore = process.cpuUsage();
const caused: Result[] = [];
const uncaused: Result[] = [];
for (const seed of seedsOf(values.seeds)) caused.push(await runIncident(seed, true));
for (const seed of seedsOf(values.without)) uncaused.push(await runIncident(seed, false));
const { user, system } = process.cpuUsage(cpuBefore);

printTables(caused, uncaused);
const missing = new Set([...fleets.values()].flatMap((fleet) => [...fleet.missing]));
if (missing.size > 0)
  console.log(`\nStored directly, because this server does not take them: ${[...missing].join(', ')}`);
const incidents = caused.length + uncaused.length;
console.log(`\n${((user + system) / 1e6 / incidents).toFixed(2)} s of processor time per incident`);
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ caused, uncaused }, undefined, 1));
for (const fleet of fleets.values()) await fleet.stop();
