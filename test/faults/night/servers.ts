// The servers of the night: processes on the same data that can be stopped, killed and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../packages/core/test/postgres.ts';
import type { ClockSettings } from './clock.ts';

const START_MAX_MS = 60_000;
const SAMPLE_EVERY_MS = 2_000;
const LAG = /^nodejs_eventloop_lag_max_seconds ([\d.e+-]+)/m;

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** Settings of a server. */
export interface ServerSettings {
  readonly clock: ClockSettings;
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Module that is loaded first. */
  readonly hook?: string | undefined;
}

/** A server that keeps its ports over restarts. */
export interface NightServer {
  readonly url: string;
  readonly syslogPort: number;
  /** Times it was killed, and times it was stopped. */
  readonly ends: { kills: number; stops: number };
  /** Resident memory in megabytes. */
  memoryMb(): number;
  start(): Promise<void>;
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** Makes a server, which is not started yet. */
export async function makeServer({ clock, variables, hook }: ServerSettings): Promise<NightServer> {
  const [port, syslogPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const main = new URL('server-process.ts', import.meta.url).pathname;
  const ends = { kills: 0, stops: 0 };
  let child: ChildProcess | undefined;

  const isReady = async () => {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    return answer?.ok === true;
  };

  return {
    url,
    syslogPort,
    ends,
    memoryMb() {
      const status = child === undefined ? '' : readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    },
    async start() {
      const ports = { QUARTERDECK_PORT: String(port), QUARTERDECK_SYSLOG_PORT: String(syslogPort) };
      const started = spawn(process.execPath, [...(hook === undefined ? [] : [`--import=${hook}`]), main], {
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, ...ports, ...variables, NIGHT_CLOCK: JSON.stringify(clock) },
      });
      child = started;
      children.add(started);
      const giveUpMs = performance.now() + START_MAX_MS;
      while (!(await isReady())) {
        if (started.exitCode !== null || performance.now() > giveUpMs) throw new Error('the server did not start');
        await delay(20);
      }
    },
    async end(signal) {
      const ending = child;
      if (ending === undefined) return;
      if (ending.exitCode !== null || ending.signalCode !== null) throw new Error('a server ended by itself');
      const gone = once(ending, 'exit');
      ending.kill(signal);
      await gone;
      children.delete(ending);
      child = undefined;
      ends[signal === 'SIGKILL' ? 'kills' : 'stops'] += 1;
    },
  };
}

/** Samples of the running servers. */
export interface Samples {
  /** Longest stall of an event loop in milliseconds. */
  stallMs: number;
  firstMb: number;
  lastMb: number;
  mostMb: number;
}

/** Samples stalls and memory until the signal is aborted. */
export async function sample(server: NightServer, token: string, signal: AbortSignal): Promise<Samples> {
  const samples = { stallMs: 0, firstMb: 0, lastMb: 0, mostMb: 0 };
  while (!signal.aborted) {
    await delay(SAMPLE_EVERY_MS, undefined, { signal }).catch(() => undefined);
    const answer = await fetch(`${server.url}/metrics`, { headers: { 'API-Token': token } }).catch(() => undefined);
    const lag = LAG.exec((await answer?.text().catch(() => '')) ?? '')?.[1];
    if (lag === undefined) continue;
    samples.stallMs = Math.max(samples.stallMs, Number(lag) * 1000);
    samples.lastMb = server.memoryMb() || samples.lastMb;
    samples.firstMb ||= samples.lastMb;
    samples.mostMb = Math.max(samples.mostMb, samples.lastMb);
  }
  return samples;
}
