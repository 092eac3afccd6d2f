// The measurements, each on its own dashboard or on a given one.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { randomFrom } from '../lines.ts';
import { quantile } from '../load.ts';
import { Dashboard, type Options, type Variant } from './dashboard.ts';
import type { SourceCommand } from './source.ts';

/** Options of Node that enable the inspector. */
const INSPECTABLE = ['--inspect=127.0.0.1:0', '--inspect-publish-uid=stderr'];

const ADDRESS = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/;

/** Inspector of one process. */
interface Inspector {
  /** Used heap after a collection in megabytes. */
  readonly heapMb: () => Promise<number>;
  readonly close: () => void;
}

/** Connects to a dashboard that was started {@link INSPECTABLE}. */
async function inspect(dashboard: Dashboard): Promise<Inspector> {
  // The process prints the address first; the pty may deliver it in pieces.
  while (!ADDRESS.test(dashboard.output())) await new Promise((resolve) => setTimeout(resolve, 5));
  const socket = new WebSocket(ADDRESS.exec(dashboard.output())?.[0] ?? '');
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  let id = 0;
  const ask = async (method: string): Promise<{ usedSize?: number }> => {
    id += 1;
    const mine = id;
    const answer = new Promise<{ usedSize?: number }>((resolve) => {
      const listen = ({ data }: { data: unknown }): void => {
        const message = JSON.parse(String(data)) as { id?: number; result?: { usedSize?: number } };
        if (message.id !== mine) return;
        socket.removeEventListener('message', listen);
        resolve(message.result ?? {});
      };
      socket.addEventListener('message', listen);
    });
    socket.send(JSON.stringify({ id: mine, method }));
    return answer;
  };
  return {
    async heapMb() {
      await ask('HeapProfiler.collectGarbage');
      await ask('HeapProfiler.collectGarbage');
      return ((await ask('Runtime.getHeapUsage')).usedSize ?? 0) / 1_048_576;
    },
    close: () => socket.close(),
  };
}

/** Size of the window. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A source with a number of groups. */
export interface Source extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly send: (command: SourceCommand) => void;
}

export async function startSource(groups: number): Promise<Source> {
  const child = fork(fileURLToPath(new URL('./source.ts', import.meta.url)), [String(groups)]);
  const [{ url, token }] = (await once(child, 'message')) as [{ url: string; token: string }];
  return {
    url,
    token,
    send: (command) => void child.send(command),
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

const isFull = (dashboard: Dashboard) => (): boolean =>
  dashboard.text().includes('upstream ') && dashboard.marks() !== '';

/** Opens the error logs and waits for their rows. */
async function open(options: Options): Promise<Dashboard> {
  const dashboard = new Dashboard(options);
  await toErrors(dashboard);
  return dashboard;
}

async function toErrors(dashboard: Dashboard): Promise<void> {
  await dashboard.until('the dashboard', () => dashboard.text().includes('live'));
  dashboard.type(OPEN_ERRORS);
  await dashboard.until('rows', isFull(dashboard));
}

/** Key of the error-log screen. */
const OPEN_ERRORS = '2';

/** Measures the milliseconds to the first character and to the first screen with data, several times. */
export async function measureStart(options: Options, times: number): Promise<{ firstMs: number[]; fullMs: number[] }> {
  const firstMs: number[] = [];
  const fullMs: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const dashboard = new Dashboard(options);
    await dashboard.until('data', () => dashboard.text().includes('upstream '));
    fullMs.push(performance.now() - dashboard.startedAtMs);
    firstMs.push(dashboard.firstMs ?? Number.NaN);
    await dashboard.stop();
  }
  return { firstMs, fullMs };
}

/** Figures of a running dashboard. */
export interface WorkFigures {
  readonly keyMs: readonly number[];
  readonly cpuLoad: number;
  readonly cpuIdle: number;
  readonly bytesMove: number;
  readonly bytesTail: number;
  readonly bytesIdle: number;
}

async function cpuOver(dashboard: Dashboard, seconds: number): Promise<number> {
  const before = dashboard.cpuS();
  await sleep(seconds * 1000);
  return (100 * (dashboard.cpuS() - before)) / seconds;
}

const KEYS = 150;
/** Number of moves that leaves the selection inside the smallest window. */
const MOVES = 8;
const PER_SECOND = 10;

/** Presses one key, and measures the milliseconds until the selection has moved on the screen. */
async function press(dashboard: Dashboard, key: string): Promise<number> {
  const before = dashboard.marks();
  const since = performance.now();
  dashboard.type(key);
  await dashboard.until('the selection to move', () => dashboard.marks() !== before);
  return performance.now() - since;
}

/** Takes all measurements of a running dashboard. */
export async function measureWork(variant: Variant, size: Size, source: Source): Promise<WorkFigures> {
  const dashboard = await open({ variant, ...size, ...source });
  const random = randomFrom(7);
  await dashboard.quiet(0, 1_000);

  const idleFrom = dashboard.bytes;
  const cpuIdle = await cpuOver(dashboard, 10);
  const bytesIdle = dashboard.bytes - idleFrom;

  const tails: number[] = [];
  for (let n = 0; n < MOVES; n += 1) {
    const from = dashboard.bytes;
    source.send({ add: true });
    await dashboard.until('the new group', () => dashboard.bytes > from);
    tails.push(await dashboard.quiet(from));
  }

  const moves: number[] = [];
  for (let n = 0; n < MOVES; n += 1) {
    const from = dashboard.bytes;
    await press(dashboard, 'j');
    moves.push(await dashboard.quiet(from));
  }

  source.send({ perSecond: PER_SECOND });
  const keyMs: number[] = [];
  for (let n = 0; n < KEYS; n += 1) {
    await sleep(60 + 80 * random());
    keyMs.push(await press(dashboard, Math.floor(n / 5) % 2 === 0 ? 'k' : 'j'));
  }
  const cpuLoad = await cpuOver(dashboard, 10);
  source.send({ perSecond: 0 });
  await dashboard.stop();
  return { keyMs, cpuLoad, cpuIdle, bytesIdle, bytesMove: quantile(moves, 0.5), bytesTail: quantile(tails, 0.5) };
}

/** Memory in MB with many rows loaded, after moving through them, under load. */
export async function measureMemory(variant: Variant, size: Size, source: Source): Promise<number> {
  const dashboard = await open({ variant, ...size, ...source });
  source.send({ perSecond: PER_SECOND });
  for (const key of ['G', 'gg', '50j', 'G', 'gg']) {
    dashboard.type(key);
    await sleep(700);
  }
  await sleep(3_000);
  const memory = dashboard.memoryMb();
  source.send({ perSecond: 0 });
  await dashboard.stop();
  return memory;
}

/** Growth of the heap under load in MB, without the first seconds, in which caches fill. */
export async function measureGrowth(variant: Variant, size: Size, source: Source, seconds: number): Promise<number> {
  const dashboard = new Dashboard({ variant, ...size, ...source, nodeOptions: INSPECTABLE });
  const inspector = await inspect(dashboard);
  await toErrors(dashboard);
  source.send({ perSecond: PER_SECOND });
  await sleep(10_000);
  const before = await inspector.heapMb();
  await sleep(seconds * 1000);
  const after = await inspector.heapMb();
  inspector.close();
  source.send({ perSecond: 0 });
  await dashboard.stop();
  return after - before;
}
