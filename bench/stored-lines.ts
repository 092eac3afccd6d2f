// `pnpm bench:lines [LINES...]`: stores realistic lines through the API and reads them. The size on disk, searches and
// values stand beside `zstd -3` of the same texts and a plain search through it. DATABASE_URL selects PostgreSQL.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { call, makeCredentials } from './api.ts';
import { built } from './built.ts';
import { quantile } from './load.ts';
import { newFolder, type Program, startServer } from './processes.ts';
import { count, ms } from './report.ts';
import { DIFFERENT, RARE, rareText, sendLines } from './send-lines.ts';

const { openDatabase, statement } = await built('packages/core/dist/db/open/index.js');

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000_000, 20_000_000];
const URL_OF_POSTGRES = process.env['DATABASE_URL'];
const BLOCK = 1024 * 1024;

const SIZE = statement({
  sqlite: '',
  postgresql: `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND relkind IN ('r', 'm')`,
});

/** Bytes of the database. */
async function diskBytes(dataDir: string): Promise<number> {
  if (URL_OF_POSTGRES === undefined) {
    return readdirSync(dataDir)
      .filter((name) => name.startsWith('quarterdeck.db'))
      .reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);
  }
  const db = await openDatabase({ kind: 'postgresql', url: URL_OF_POSTGRES });
  const size = await db.read.sql.get<{ bytes: number }>(SIZE);
  await db.close();
  return size?.bytes ?? 0;
}

/** Prints the waits of one reader: the median and the 99th percentile. */
async function ask(server: Program, headers: Record<string, string>, name: string, paths: readonly string[]) {
  const times: number[] = [];
  let found = 0;
  let isComplete = true;
  for (const path of paths) {
    const startedAt = performance.now();
    const { data } = await call(server, `/admin-api/log_server/${path}`, { headers });
    times.push(performance.now() - startedAt);
    const { data: rows, meta } = data as { data?: unknown[]; meta?: { complete?: boolean } };
    found += rows?.length ?? 0;
    isComplete &&= meta?.complete !== false;
  }
  const at = (share: number) => ms(quantile(times, share));
  const note = `${count(found / paths.length)} rows${isComplete ? '' : ', not complete'}`;
  console.log(`  ${name.padEnd(34)} p50 ${at(0.5).padStart(9)}  p99 ${at(0.99).padStart(9)}  ${note}`);
}

const repeat = (path: string, times: number) => Array<string>(times).fill(path);

async function benchReads(server: Program, headers: Record<string, string>): Promise<void> {
  const rare = Array.from({ length: RARE }, (_, i) => `line?q=${rareText(i)}`);
  const hour = Math.floor(Date.now() / 1000) - 12 * 3_600;
  await ask(server, headers, 'page 1', repeat('line', 20));
  await ask(server, headers, 'a rare text', rare);
  const inHour = rare.map((path) => `${path}&start_time=${hour}&end_time=${hour + 3_600}`);
  await ask(server, headers, 'a rare text in one hour', inHour);
  await ask(server, headers, 'a text that nobody has', repeat('line?q=segmentation+fault', 5));
  await ask(server, headers, 'six digits that nobody has', repeat('line?q=9999999', 5));
  await ask(server, headers, 'a common text', repeat('line?q=timed+out', 10));
  await ask(server, headers, 'client:198.51.100.9', repeat('line?filter=client:198.51.100.9', 10));
  await ask(server, headers, 'values of client', repeat('line/values?field=client', 3));
  await ask(server, headers, 'histogram', repeat('line/histogram', 3));
  await ask(
    server,
    headers,
    'list, q in any line',
    rare.slice(0, 10).map((path) => path.replace('line', 'errlog')),
  );
  await ask(server, headers, 'list of a past hour', repeat(`errlog?start_time=${hour}&end_time=${hour + 3_600}`, 10));
}

/** Compresses the texts as `zstd -3` in blocks and searches through them. */
function benchPlainFile(texts: readonly Buffer[], raw: number): void {
  const all = Buffer.concat(texts);
  const packed: Buffer[] = [];
  const cpu = process.cpuUsage();
  for (let at = 0; at < all.length; at += BLOCK) {
    const params = { [constants.ZSTD_c_compressionLevel]: 3 };
    packed.push(zstdCompressSync(all.subarray(at, at + BLOCK), { params }));
  }
  const { user, system } = process.cpuUsage(cpu);
  const startedAt = performance.now();
  let found = 0;
  for (const block of packed) if (zstdDecompressSync(block).includes('segmentation fault')) found += 1;
  const took = performance.now() - startedAt;
  const bytes = packed.reduce((sum, { length }) => sum + length, 0);
  console.log(
    `  zstd -3: ${(bytes / raw).toFixed(3)} of raw, ${count(all.length / (user + system))} MB/s; ` +
      `a search through it ${ms(took)}, ${found} found`,
  );
}

async function bench(lines: number): Promise<void> {
  const dataDir = newFolder();
  const start = () => startServer(dataDir, URL_OF_POSTGRES);
  console.log(`\n${count(lines)} lines on ${URL_OF_POSTGRES === undefined ? 'SQLite' : 'PostgreSQL'}`);
  let server = await start();
  const { apiToken } = await makeCredentials(server);
  const headers = { 'api-token': apiToken };
  const { raw, texts } = await sendLines(server, headers, lines);
  console.log(`  memory after intake: ${server.memoryMb()} MB`);
  await delay(2_000);
  const stoppedAt = performance.now();
  await server.stop();
  console.log(`  stopped, and the rest packed, in ${ms(performance.now() - stoppedAt)}`);
  const bytes = await diskBytes(dataDir);
  console.log(`  disk: ${count(bytes / 1e6)} MB, ${(bytes / raw).toFixed(3)} of raw (${count(raw / 1e6)} MB)`);
  server = await start();
  console.log(`  ready ${server.readyMs} ms after start`);
  await benchReads(server, headers);
  console.log(`  memory after reading: ${server.memoryMb()} MB`);
  await server.stop();
  benchPlainFile(texts, (raw * Math.min(lines, DIFFERENT)) / lines);
}

for (const lines of SIZES) await bench(lines);
