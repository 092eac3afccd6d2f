// `pnpm bench:tui`: measures the dashboard in a real pty, beside plain Ink drawing the same screen in the same run.
// Ratios are comparable between machines, absolute times are not. `--quick`: fewer starts, and no minute of heap
// growth. `--minutes 60`: follows lines for an hour instead of two minutes.
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { makeCredentials } from '../api.ts';
import { quantile } from '../load.ts';
import { newFolder, startServer } from '../processes.ts';
import { seed } from '../seed.ts';
import type { Variant } from './dashboard.ts';
import { measureGrowth, measureMemory, measureStart, measureWork, type Size, startSource } from './measure.ts';
import { measureTail } from './tail.ts';

const { quick: isQuick = false, minutes = '2' } = parseArgs({
  options: { quick: { type: 'boolean' }, minutes: { type: 'string' } },
}).values;
const STARTS = isQuick ? 8 : 30;
const HEAP_S = 60;
const GROUPS = 10_000;
const LINES_PER_SECOND = 1_000;
const MANY_GROUPS = 100_000;
const SIZES: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 200, rows: 60 },
];
const VARIANTS: readonly Variant[] = ['ours', 'plain Ink'];

/** Lines of the table: name -> values, for each size. */
const table = new Map<string, string[]>();
const put = (name: string, value: string): void => void table.set(name, [...(table.get(name) ?? []), value]);
const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const percent = (value: number): string => `${value.toFixed(1)} %`;
const mb = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} MB`;

async function starts(): Promise<void> {
  const dataDir = newFolder();
  await seed({ dataDir }, GROUPS);
  const server = await startServer(dataDir);
  const { apiToken: token } = await makeCredentials(server);
  for (const size of SIZES) {
    for (const variant of VARIANTS) {
      const { firstMs, fullMs } = await measureStart({ variant, ...size, url: server.url, token }, STARTS);
      put('first paint p50 / p95', `${ms(quantile(firstMs, 0.5))} / ${ms(quantile(firstMs, 0.95))}`);
      put('full screen with data p50 / p95', `${ms(quantile(fullMs, 0.5))} / ${ms(quantile(fullMs, 0.95))}`);
    }
  }
  await server.stop();
}

async function work(): Promise<void> {
  for (const size of SIZES) {
    for (const variant of VARIANTS) {
      await using source = await startSource(GROUPS);
      const figures = await measureWork(variant, size, source);
      put('key to paint p50 / p95', `${ms(quantile(figures.keyMs, 0.5))} / ${ms(quantile(figures.keyMs, 0.95))}`);
      put('processor, the same load / idle', `${percent(figures.cpuLoad)} / ${percent(figures.cpuIdle)}`);
      put('bytes: move / tailed line / idle', `${figures.bytesMove} / ${figures.bytesTail} / ${figures.bytesIdle}`);
    }
  }
}

async function memory(): Promise<void> {
  for (const size of SIZES) {
    for (const variant of VARIANTS) {
      await using source = await startSource(MANY_GROUPS);
      put('memory, 100,000 groups', mb(await measureMemory(variant, size, source)));
    }
  }
}

async function growth(): Promise<void> {
  for (const size of SIZES) {
    for (const variant of VARIANTS) {
      await using source = await startSource(GROUPS);
      put(`heap growth in ${HEAP_S} s`, mb(await measureGrowth(variant, size, source, HEAP_S)));
    }
  }
}

/** Follows lines as a person would; plain Ink has no such screen. */
async function tail(): Promise<void> {
  const dataDir = newFolder();
  const server = await startServer(dataDir);
  const { apiToken: token } = await makeCredentials(server);
  const [, size] = SIZES as readonly [Size, Size];
  const options = { variant: 'ours', ...size, url: server.url, token } as const;
  const figures = await measureTail(options, server, { perSecond: LINES_PER_SECOND, seconds: Number(minutes) * 60 });
  console.log(
    `${LINES_PER_SECOND} lines a second into a real server, ${size.columns}x${size.rows}, ${minutes} minutes`,
  );
  console.log(
    `  processor, error list / lines     3 %               ${percent(figures.cpuErrors)} / ${percent(figures.cpuLines)}`,
  );
  console.log(`  memory, each tenth of the time    150 MB            ${figures.memoryMb.map(Math.round).join(' ')}`);
  await server.stop();
}

const TARGETS: Readonly<Record<string, readonly string[]>> = {
  'first paint p50 / p95': ['60 ms', '60 ms'],
  'full screen with data p50 / p95': ['250 ms', '300 ms'],
  'key to paint p50 / p95': ['10 ms', '16 ms'],
  'processor, the same load / idle': ['3 % / 0.5 %', '5 % / 0.5 %'],
  'bytes: move / tailed line / idle': ['300 / 500 / 0', '1000 / 1600 / 0'],
  'memory, 100,000 groups': ['160 MB', '170 MB'],
  [`heap growth in ${HEAP_S} s`]: ['2 MB', '2 MB'],
};

/** Measures the load of the machine by a start of Node that does nothing, which takes 22 ms on an idle one. */
function emptyStarts(): string {
  const times = Array.from({ length: 20 }, () => {
    const since = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return performance.now() - since;
  });
  return `${ms(quantile(times, 0.5))} / ${ms(quantile(times, 0.95))}`;
}

console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`);
console.log(`${GROUPS.toLocaleString('en')} groups, 10 updates a second; starts against a real server`);
console.log(`empty start of Node, p50 / p95: ${emptyStarts()}\n`);
await starts();
await work();
await memory();
if (!isQuick) await growth();
for (const [index, { columns, rows }] of SIZES.entries()) {
  console.log(`${`${columns}x${rows}`.padEnd(36)}${'target'.padEnd(18)}${'ours'.padEnd(24)}plain Ink`);
  for (const [name, values] of table) {
    const [ours = '', plain = ''] = values.slice(2 * index);
    console.log(`  ${name.padEnd(34)}${(TARGETS[name]?.[index] ?? '').padEnd(18)}${ours.padEnd(24)}${plain}`);
  }
  console.log();
}
await tail();
