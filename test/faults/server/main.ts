// `pnpm faults FAULT [--short] [--seconds N] [--broken]`: faults of a server and of what it stands on, under load. See
// the README of the folder above.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { breakServer } from '../broken-server.ts';
import { newPlace } from '../built-server.ts';
import { FAULTS } from './cases.ts';
import type { Fault } from './under-load.ts';

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    // Breaks the server for one fault, which must be found.
    broken: { type: 'boolean', default: false },
  },
});
const SECONDS = Number(options.seconds ?? (options.short ? 3 : 10));
const chosen = FAULTS.filter(({ name }) => names.length === 0 || names.includes(name));
if (chosen.length === 0) throw new Error(`the faults are ${FAULTS.map(({ name }) => name).join(', ')}`);

if (options.broken) breakServer(chosen[0]?.name ?? '');
/** Runs a fault on a database of its own; returns whether the promise was kept. */
async function runFault({ name, promise, missing, run }: Fault, isPostgres: boolean): Promise<boolean> {
  const why = missing?.();
  console.log(`\n${name} on ${isPostgres ? 'postgresql' : 'sqlite'}: ${promise}`);
  if (why !== undefined) {
    console.log(`  left out: ${why}`);
    return true;
  }
  await using place = await newPlace(isPostgres);
  const findings = await run({ ...place, dataDir: join(place.folder, 'data') }, SECONDS);
  for (const [kept, text] of findings) console.log(`  ${kept ? 'kept    ' : 'NOT KEPT'}  ${text}`);
  return findings.every(([kept]) => kept);
}

const results: boolean[] = [];
for (const fault of chosen) {
  if (fault.database !== 'postgresql') results.push(await runFault(fault, false));
  if (fault.database !== 'sqlite') results.push(await runFault(fault, true));
}
process.exit(results.every(Boolean) ? 0 : 1);
