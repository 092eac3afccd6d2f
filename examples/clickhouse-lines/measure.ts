// Measures the engine beside segments: the same lines, the same reads, in turns. `node measure.ts [LINES] [ROUNDS]`
import { makeCredentials } from '../../bench/api.ts';
import { quantile } from '../../bench/load.ts';
import { newFolder, startServer } from '../../bench/processes.ts';
import { RARE, rareText, sendLines } from '../../bench/send-lines.ts';
import { openDatabase } from '../../packages/core/src/db/open/index.ts';
import { parseFilter } from '../../packages/core/src/filter/index.ts';
import { type LineEngine, type LineEngineDeps, segmentEngine } from '../../packages/store/src/index.ts';
import { openLines } from './engine.ts';

const [lines = 300_000, rounds = 5] = process.argv.slice(2).map(Number);
const rare = Array.from({ length: RARE }, (_, i) => rareText(i));
const page = (q: string) => (reads: LineEngine['reads']) => reads.page({ q }, { limit: 100 }, '');
const nowS = Math.floor(Date.now() / 1000);

const READS: Readonly<Record<string, readonly ((reads: LineEngine['reads']) => Promise<unknown>)[]>> = {
  'page 1': [(reads) => reads.page({}, { limit: 100 }, '')],
  'a rare text': rare.map(page),
  'a text that nobody has': [page('segmentation fault')],
  'six digits that nobody has': [page('9999999')],
  'a common text': [page('timed out')],
  'client:198.51.100.9': [(r) => r.page({ filter: parseFilter('client:198.51.100.9') }, { limit: 100 }, '')],
  'values of client': [(reads) => reads.values({}, 'client', 10, '')],
  histogram: [(reads) => reads.histogram({}, { start: nowS - 86_400, end: nowS, step: 900 }, '')],
};

// Threads that read do not keep the process alive.
const alive = setInterval(() => {}, 60_000);
const dataDir = newFolder();
const server = await startServer(dataDir);
const { apiToken } = await makeCredentials(server);
const { raw } = await sendLines(server, { 'api-token': apiToken }, lines);
await server.stop();
const db = await openDatabase({ kind: 'sqlite', dataDir });
// Only threads that end early are logged.
const log = { error: console.error } as unknown as LineEngineDeps['log'];
const deps = { db, log, now: Date.now, maxBytes: 0, noteDamage: () => {} };
const engines = { segments: segmentEngine(deps), ClickHouse: openLines(deps) };
console.log(`${lines} lines, ${Math.round(raw / 1e6)} MB`);
const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
await engines.ClickHouse.packer.packAll();
const { user, system } = process.cpuUsage(cpu);
const copyMs = Math.round(performance.now() - startedAt);
console.log(`  copied in ${copyMs} ms, ${((user + system) / lines).toFixed(1)} us of the processor a line`);

for (const [name, reads] of Object.entries(READS)) {
  for (const { reads: from } of Object.values(engines)) await reads[0]?.(from);
  const took = new Map(Object.keys(engines).map((engine) => [engine, { ms: [] as number[], cpuMs: [] as number[] }]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [engine, { reads: from }] of Object.entries(engines)) {
      for (const read of reads) {
        const [before, at] = [process.cpuUsage(), performance.now()];
        await read(from);
        const used = process.cpuUsage(before);
        took.get(engine)?.ms.push(performance.now() - at);
        took.get(engine)?.cpuMs.push((used.user + used.system) / 1000);
      }
    }
  }
  for (const [engine, { ms, cpuMs }] of took) {
    const at = (list: readonly number[], share: number) =>
      quantile([...list], share)
        .toFixed(1)
        .padStart(8);
    const waits = `p50 ${at(ms, 0.5)} ms  p99 ${at(ms, 0.99)} ms`;
    const processor = `${at(cpuMs, 0.5)} (${at(cpuMs, 0)} to ${at(cpuMs, 0.9)})`;
    console.log(`  ${name.padEnd(28)} ${engine.padEnd(10)} ${waits}  processor ${processor} ms`);
  }
}
for (const { reads, packer } of Object.values(engines)) {
  await reads.close();
  await packer.close();
}
await db.close();
clearInterval(alive);
