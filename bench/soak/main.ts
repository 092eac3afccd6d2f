// `pnpm soak [minutes] [--share 0.5] [--max-mb 100]`: the built server takes in lines for 30 minutes, at half of its
// measured maximum rate, while a client reads. The bound of its database is reached early. It ends with a verdict, and
// with exit code 1 when a promise was broken: memory stays flat, retention holds the size, reads stay fast.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { call, makeCredentials } from '../api.ts';
import { BATCH_LINES } from '../lines.ts';
import { startServer } from '../processes.ts';
import { count } from '../report.ts';
import { fleetBatches, readAtPace, sendAtPace, type Target } from './load.ts';
import { judge, quantile, type Sample } from './verdict.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { share: { type: 'string', default: '0.5' }, 'max-mb': { type: 'string', default: '100' } },
});
const MINUTES = Number(positionals[0] ?? 30);
/** Share of the measured maximum rate. */
const SHARE = Number(options.share);
const MAX_MB = Number(options['max-mb']);
/** Minimum number of samples of a soak, which takes one a minute. */
const SAMPLES_MIN = 30;
const SAMPLE_MS = Math.min(60_000, (MINUTES * 60_000) / SAMPLES_MIN);
const TOP_RATE_MS = 10_000;
const LIST = '/admin-api/log_server/errlog';

if (!(MINUTES > 0 && SHARE > 0 && MAX_MB > 0)) {
  throw new Error('usage: pnpm soak [minutes] [--share of the measured rate] [--max-mb of the database]');
}

const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-soak-'));
const megabytes = (file: string) => (statSync(join(dataDir, file), { throwIfNoEntry: false })?.size ?? 0) / 1e6;

async function heapMb({ server, headers }: Target): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
  return Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1]) / 1e6;
}

async function rowsOf({ server, headers }: Target): Promise<Pick<Sample, 'groups' | 'occurrences'>> {
  type List = { data: { id: number }[]; meta: { count: number } };
  const { data, meta } = (await call(server, `${LIST}?sort=-count&page_size=1`, { headers })).data as List;
  const [most] = data;
  if (most === undefined) return { groups: 0, occurrences: 0 };
  const events = (await call(server, `${LIST}/${most.id}/events?page_size=0`, { headers })).data as List;
  return { groups: meta.count, occurrences: events.meta.count };
}

function print(sample: Sample): void {
  const { minute, rssMb, heapMb, fileMb, logMb, groups, occurrences, linesPerSecond, readsMs } = sample;
  const columns = [
    `${minute.toFixed(1).padStart(5)} min`,
    `${count(linesPerSecond).padStart(7)} lines/s`,
    `rss ${rssMb.toFixed(0).padStart(4)} MB`,
    `heap ${heapMb.toFixed(0).padStart(4)} MB`,
    `database ${fileMb.toFixed(0).padStart(5)} MB + ${logMb.toFixed(0).padStart(3)} MB`,
    `${count(groups).padStart(9)} groups`,
    `${count(occurrences).padStart(9)} of one`,
    `reads p50 ${quantile(readsMs, 0.5).toFixed(1)} p99 ${quantile(readsMs, 0.99).toFixed(0)} ms (${readsMs.length})`,
  ];
  console.log(columns.join('  '));
}

async function soak(target: Target): Promise<Sample[]> {
  const bodies = fleetBatches();
  const top = await sendAtPace(target, bodies, performance.now() + TOP_RATE_MS);
  const topPerSecond = top / (TOP_RATE_MS / 1000);
  const perSecond = topPerSecond * SHARE;
  console.log(
    `maximum ${count(topPerSecond * BATCH_LINES)} lines/s; ${MINUTES} minutes at ${SHARE} of that, database at most ${MAX_MB} MB`,
  );

  const startedAtMs = performance.now();
  const endAtMs = startedAtMs + MINUTES * 60_000;
  const samples: Sample[] = [];
  let readsMs: number[] = [];
  let batches = 0;
  const counted = (function* () {
    for (;;) {
      batches += 1;
      yield bodies.next().value;
    }
  })();
  const work = Promise.all([
    sendAtPace(target, counted, endAtMs, perSecond),
    readAtPace(target, endAtMs, (tookMs) => readsMs.push(tookMs)),
  ]);
  const watch = async () => {
    for (let n = 1; startedAtMs + n * SAMPLE_MS <= endAtMs; n += 1) {
      await delay(Math.max(0, startedAtMs + n * SAMPLE_MS - performance.now()));
      const sample = {
        minute: (n * SAMPLE_MS) / 60_000,
        rssMb: target.server.memoryMb(),
        heapMb: await heapMb(target),
        fileMb: megabytes('quarterdeck.db'),
        logMb: megabytes('quarterdeck.db-wal'),
        ...(await rowsOf(target)),
        linesPerSecond: (batches * BATCH_LINES) / (SAMPLE_MS / 1000),
        readsMs: readsMs.sort((a, b) => a - b),
      };
      batches = 0;
      readsMs = [];
      samples.push(sample);
      print(sample);
    }
  };
  await Promise.all([work, watch()]);
  return samples;
}

const server = await startServer(dataDir, undefined, { QUARTERDECK_ERRLOG_MAX_MB: String(MAX_MB) });
try {
  const { apiToken } = await makeCredentials(server);
  const findings = judge(await soak({ server, headers: { 'api-token': apiToken } }), MAX_MB);
  for (const { what, kept } of findings) console.log(`${kept ? 'kept  ' : 'BROKEN'} ${what}`);
  if (findings.some(({ kept }) => !kept)) process.exitCode = 1;
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
