// `pnpm faults FAULT [--short] [--seconds N] [--broken]`: faults of a server and of what it stands on, under load. See
// the README of the folder above.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../../packages/core/test/postgres.ts';
import { breakServer } from '../broken-server.ts';
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
const needsPostgres = chosen.some(({ database }) => database !== 'sqlite');
const postgres = needsPostgres ? await startPostgres() : undefined;

/** Runs a fault on a database of its own; returns whether the promise was kept. */
async function runFault({ name, promise, missing, run }: Fault, database: 'sqlite' | 'postgresql'): Promise<boolean> {
  const why = missing?.();
  console.log(`\n${name} on ${database}: ${promise}`);
  if (why !== undefined) {
    console.log(`  left out: ${why}`);
    return true;
  }
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-fault-'));
  try {
    const databaseUrl = database === 'postgresql' ? await postgres?.createDatabase() : undefined;
    const findings = await run({ dataDir: join(folder, 'data'), databaseUrl, postgres }, SECONDS);
    for (const [kept, text] of findings) console.log(`  ${kept ? 'kept    ' : 'NOT KEPT'}  ${text}`);
    return findings.every(([kept]) => kept);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const results: boolean[] = [];
try {
  for (const fault of chosen) {
    const databases = fault.database === undefined ? (['sqlite', 'postgresql'] as const) : ([fault.database] as const);
    for (const database of databases) results.push(await runFault(fault, database));
  }
} finally {
  await postgres?.stop();
}
process.exit(results.every(Boolean) ? 0 : 1);
