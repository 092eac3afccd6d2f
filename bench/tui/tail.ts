// A dashboard beside a real server that takes in lines all the time: processor and memory while lines are followed.
import { setTimeout as delay } from 'node:timers/promises';
import { call, JSON_TYPE } from '../api.ts';
import { type GatewayLine, gatewayLines } from '../gateway-lines.ts';
import type { Program } from '../processes.ts';
import { Dashboard, type Options } from './dashboard.ts';

/** Batches per second. */
const BATCHES = 10;
/** Seconds before the first look at the processor, in which caches fill. */
const WARM_UP_S = 10;

/** Figures of a dashboard that follows lines. */
export interface TailFigures {
  /** Percent of one core while it shows the lines; the same while it shows the error list. */
  readonly cpuLines: number;
  readonly cpuErrors: number;
  /** Resident memory in MB, at the end of each tenth of the time. */
  readonly memoryMb: readonly number[];
}

/** Sends `perSecond` lines a second until it is aborted. */
async function sendLines(server: Program, token: string, perSecond: number, signal: AbortSignal): Promise<void> {
  const lines = gatewayLines(7, 0, perSecond);
  while (!signal.aborted) {
    const dueMs = performance.now() + 1000 / BATCHES;
    const log_time = Math.floor(Date.now() / 1000);
    const length = Math.round(perSecond / BATCHES);
    const batch = Array.from({ length }, () => ({ ...(lines.next().value as GatewayLine), log_time }));
    const body = JSON.stringify(batch);
    await call(server, '/admin-api/log_server/errlog', {
      method: 'POST',
      headers: { ...JSON_TYPE, 'API-Token': token },
      body,
    });
    await delay(Math.max(0, dueMs - performance.now()));
  }
}

async function cpuOver(dashboard: Dashboard, seconds: number): Promise<number> {
  const before = dashboard.cpuS();
  await delay(seconds * 1000);
  return (100 * (dashboard.cpuS() - before)) / seconds;
}

/** Follows lines for `seconds`, with the keys of a person now and then. */
export async function measureTail(
  options: Options,
  server: Program,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<TailFigures> {
  const controller = new AbortController();
  const sending = sendLines(server, options.token, perSecond, controller.signal);
  const dashboard = new Dashboard(options);
  try {
    await dashboard.until('the dashboard', () => dashboard.text().includes('live'));
    dashboard.type('2');
    await delay(WARM_UP_S * 1000);
    const cpuErrors = await cpuOver(dashboard, WARM_UP_S);
    dashboard.type('8');
    await delay(WARM_UP_S * 1000);
    const cpuLines = await cpuOver(dashboard, WARM_UP_S);
    const memoryMb: number[] = [];
    for (let tenth = 0; tenth < 10; tenth += 1) {
      for (const key of ['k', 'k', 'G', '2', 'j', '8', 'f']) {
        dashboard.type(key);
        await delay(500);
      }
      await delay(Math.max(0, (seconds / 10) * 1000 - 3500));
      memoryMb.push(dashboard.memoryMb());
    }
    return { cpuErrors, cpuLines, memoryMb };
  } finally {
    controller.abort();
    await sending;
    await dashboard.stop();
  }
}
