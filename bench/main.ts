// `pnpm bench`: measures the built server on 100,000 and on 1,000,000 error-log groups. Bare Express 5, answering a
// constant body of the same size, runs beside it. Ratios are comparable between machines, absolute times are not.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchAgents } from './agents.ts';
import { call, makeCredentials } from './api.ts';
import { benchCredentials } from './credentials.ts';
import { benchIntake, benchReads } from './errlog.ts';
import { type Figures, type Load, run, runPaired } from './load.ts';
import { benchPlain } from './plain.ts';
import { ADMIN_PASSWORD, startBareExpress, startServer } from './processes.ts';
import { count, cpu, ms, row } from './report.ts';
import { seed } from './seed.ts';
import { benchSuspects } from './suspects.ts';

const ROUNDS = 3;
const SECONDS = 3;
const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100_000, 1_000_000];
/** Average number of occurrences of a group. */
const OCCURRENCES = 20;

async function bench(groups: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-bench-'));
  try {
    const seededAt = performance.now();
    await seed({ dataDir }, groups, OCCURRENCES);
    console.log(
      `\n${groups.toLocaleString('en')} groups (stored in ${Math.round((performance.now() - seededAt) / 1000)} s)`,
    );
    const first = await startServer(dataDir);
    const { apiToken, id } = await makeCredentials(first);
    await first.stop();
    const server = await startServer(dataDir);
    console.log(`  ready ${server.readyMs} ms after start, ${server.memoryMb()} MB`);

    const headers = { 'api-token': apiToken };
    const list = '/admin-api/log_server/errlog';
    const lastPage = Math.floor(groups / 20);
    const paths: [name: string, path: string][] = [
      ['error log, page 1', list],
      [`error log, page ${Math.min(10_000, lastPage)}`, `${list}?page=${Math.min(10_000, lastPage)}`],
      ['error log, level 4', `${list}?level=4`],
      ['error log, level 3 or worse', `${list}?level_max=3`],
      ['API token get', `/admin-api/api_token/${id}`],
    ];
    const sizes = await Promise.all(
      paths.map(async ([, path]) => Buffer.byteLength((await call(server, path, { headers })).text)),
    );
    const bare = await startBareExpress(sizes);
    let pageOne: Figures | undefined;
    for (const [index, [name, path]] of paths.entries()) {
      const ours: Load = { server, path, headers };
      const bareSize: Load = { server: bare, path: `/${sizes[index]}` };
      const [mine, theirs] = await runPaired(ours, bareSize, ROUNDS, SECONDS);
      pageOne ??= mine;
      const ratio = (mine.perSecond / theirs.perSecond).toFixed(2);
      const cpuRatio = (theirs.cpuUs / mine.cpuUs).toFixed(2);
      const toPageOne = (pageOne.perSecond / mine.perSecond).toFixed(2);
      const note = `${ratio} of bare Express (${count(theirs.perSecond).trim()}/s, p99 ${ms(theirs.p99Ms).trim()}, ${sizes[index]} bytes), by processor time ${cpuRatio} (${cpu(theirs).trim()})`;
      row(name, mine, index > 0 && index < 4 ? `${note}; ${toPageOne} x the time of page 1` : note);
    }
    console.log(`  memory after reading: server ${server.memoryMb()} MB, bare Express ${bare.memoryMb()} MB`);
    await bare.stop();

    await benchReads(server, headers);
    console.log(`  memory after reading: ${server.memoryMb()} MB`);
    await benchIntake(server, headers);
    console.log(`  memory after intake: ${server.memoryMb()} MB`);
    const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
    row(
      'login',
      await run({ server, path: '/admin-api/user/login', method: 'POST', bodies: [body], connections: 4 }, SECONDS),
    );
    console.log(`  memory at the end: ${server.memoryMb()} MB`);
    await server.stop();
    await benchPlain(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`);
for (const groups of SIZES) await bench(groups);
await benchCredentials();
await benchAgents();
await benchSuspects();
