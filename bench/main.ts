// `pnpm bench`: the built server on 100,000 and on 1,000,000 error-log groups, next to bare Express 5 answering a
// constant body of the same size in the same run. Ratios hold where absolute times do not.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, JSON_TYPE, makeCredentials } from './api.ts';
import { benchCredentials } from './credentials.ts';
import { batches } from './lines.ts';
import { type Figures, type Load, run, runPaired } from './load.ts';
import { ADMIN_PASSWORD, startBareExpress, startServer } from './processes.ts';
import { seed } from './seed.ts';

const ROUNDS = 3;
const SECONDS = 3;
const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100_000, 1_000_000];
const BATCH_LINES = 500;

const count = (value: number) => Math.round(value).toLocaleString('en').padStart(9);
const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`.padStart(9);
const cpu = ({ cpuUs }: Figures) => `${Math.round(cpuUs)} us`.padStart(7);
const row = (name: string, ours: Figures, note = '') =>
  console.log(
    `  ${name.padEnd(30)}${count(ours.perSecond)}/s  p50${ms(ours.p50Ms)}  p99${ms(ours.p99Ms)}  ${cpu(ours)}  ${note}`,
  );

async function bench(groups: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-bench-'));
  try {
    const seededAt = performance.now();
    await seed({ dataDir }, groups);
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
      const note = `${ratio} of bare Express (${count(theirs.perSecond).trim()}/s, p99${ms(theirs.p99Ms)}, ${sizes[index]} bytes), by processor time ${cpuRatio} (${cpu(theirs).trim()})`;
      row(name, mine, index > 0 && index < 4 ? `${note}; ${toPageOne} x the time of page 1` : note);
    }
    console.log(`  memory after reading: server ${server.memoryMb()} MB, bare Express ${bare.memoryMb()} MB`);
    await bare.stop();

    const intake = {
      server,
      path: list,
      method: 'POST' as const,
      headers: { ...headers, ...JSON_TYPE },
    };
    for (const [name, spread] of [
      ['intake, 2,000 groups', 2_000],
      ['intake, 50,000 groups', 50_000],
    ] as const) {
      const figures = await run(
        { ...intake, bodies: batches(40, BATCH_LINES, spread, spread), connections: 4 },
        2 * SECONDS,
      );
      row(name, figures, `${count(figures.perSecond * BATCH_LINES).trim()} durable lines/s`);
    }
    const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
    row(
      'login',
      await run({ server, path: '/admin-api/user/login', method: 'POST', bodies: [body], connections: 4 }, SECONDS),
    );
    console.log(`  memory at the end: ${server.memoryMb()} MB`);
    await server.stop();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`);
for (const groups of SIZES) await bench(groups);
await benchCredentials();
