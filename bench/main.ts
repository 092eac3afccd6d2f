// `pnpm bench`: measures the built server on SQLite and on PostgreSQL, with 100,000 and with 1,000,000 groups of error
// logs. Their limits run beside them: bare Express 5 with a constant body of the same size, and plain node:http with
// one prepared statement. Ratios are comparable between machines, absolute times are not.
import { cpus } from 'node:os';
import { type Sides, startSides } from './databases.ts';
import { benchIntake, benchReads } from './errlog.ts';
import { type Figures, run } from './load.ts';
import { ADMIN_PASSWORD } from './processes.ts';
import { rows } from './report.ts';

const SECONDS = 3;
const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100_000, 1_000_000];
/** Average number of occurrences of a group. */
const OCCURRENCES = 20;

async function bench(groups: number): Promise<void> {
  console.log(`\n${groups.toLocaleString('en')} groups`);
  const sides = await startSides(groups, OCCURRENCES);
  const { sqlite, postgresql } = sides;
  const memory = (when: string) =>
    console.log(`  memory ${when}: ${sqlite.server.memoryMb()} MB, on PostgreSQL ${postgresql.server.memoryMb()} MB`);
  try {
    await benchReads(sides, groups);
    memory('after reading');
    await benchIntake(sides);
    memory('after intake');
    await benchLogin(sides);
    memory('at the end');
  } finally {
    await sides.stop();
  }
}

async function benchLogin({ sqlite, postgresql }: Sides): Promise<void> {
  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
  const measured: { name: string; figures: Figures }[] = [];
  for (const { name, server } of [sqlite, postgresql]) {
    const load = { server, path: '/admin-api/user/login', method: 'POST', bodies: [body], connections: 4 } as const;
    measured.push({ name, figures: await run(load, SECONDS) });
  }
  rows('login', measured);
}

console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`);
console.log('columns: requests, latency, processor time of a request: of the server, of PostgreSQL');
for (const groups of SIZES) await bench(groups);
