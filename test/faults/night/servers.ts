// The servers of the night: processes on the same data that can be stopped, killed and started again.
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../free-port.ts';
import { longestStall, type Place, type Server, type Settings, startServer } from '../built-server.ts';
import type { ClockSettings } from './clock.ts';

const SAMPLE_EVERY_MS = 2_000;
const MAIN = new URL('server-process.ts', import.meta.url).pathname;

/** A server that keeps its ports over restarts. */
export interface NightServer {
  readonly url: string;
  readonly syslogPort: number;
  /** Times it was killed, and times it was stopped. */
  readonly ends: { kills: number; stops: number };
  /** Resident memory in megabytes; 0 while it is stopped. */
  memoryMb(): number;
  start(): Promise<void>;
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** Makes a server, which is not started yet. */
export async function makeServer(clock: ClockSettings, place: Place, variables: Settings): Promise<NightServer> {
  const [port, syslogPort] = [await freePort(), await freePort()];
  const ends = { kills: 0, stops: 0 };
  const settings = {
    ...variables,
    QUARTERDECK_PORT: String(port),
    QUARTERDECK_SYSLOG_PORT: String(syslogPort),
    NIGHT_CLOCK: JSON.stringify(clock),
  };
  let server: Server | undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    syslogPort,
    ends,
    memoryMb: () => (server?.isRunning() ? server.memory.resident() : 0),
    async start() {
      server = await startServer(place, settings, [process.execPath, MAIN]);
    },
    async end(signal) {
      if (!server?.isRunning()) throw new Error(`a server ended by itself:\n${server?.log()}`);
      await server.end(signal);
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

/**
 * Samples stalls and memory until the signal is aborted.
 *
 * @throws Error where no sample could be taken
 */
export async function sample(server: NightServer, token: string, signal: AbortSignal): Promise<Samples> {
  const samples = { stallMs: 0, firstMb: 0, lastMb: 0, mostMb: 0 };
  let failure: unknown = new Error('the night was too short for a sample');
  while (!signal.aborted) {
    await delay(SAMPLE_EVERY_MS, undefined, { signal }).catch(() => undefined);
    // A server that was killed answers again later.
    const stallMs = await longestStall(server.url, token).catch((error: unknown) => {
      failure = error;
    });
    if (stallMs === undefined) continue;
    samples.stallMs = Math.max(samples.stallMs, stallMs);
    samples.lastMb = server.memoryMb() || samples.lastMb;
    samples.firstMb ||= samples.lastMb;
    samples.mostMb = Math.max(samples.mostMb, samples.lastMb);
  }
  if (samples.mostMb === 0) throw failure;
  return samples;
}
