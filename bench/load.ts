// Generates load and computes its figures.
import autocannon from 'autocannon';
import type { Program } from './processes.ts';

/** Figures of one run, or the median of several. */
export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Microseconds on a processor per request, in the server; the figure that other programs disturb least. */
  readonly cpuUs: number;
  /** The same of the processes of its database; 0 where it has none. */
  readonly databaseUs: number;
}

/** A repeated request. */
export interface Load {
  readonly server: Program;
  /** Of each request, or of all. */
  readonly path: string | (() => string);
  readonly headers?: Record<string, string>;
  readonly method?: 'GET' | 'POST';
  /** Bodies, sent in turn. */
  readonly bodies?: readonly string[];
  readonly connections?: number;
}

/** Value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The median of several runs, figure by figure. */
export function medianOf(runs: readonly Figures[]): Figures {
  const median = (of: keyof Figures) =>
    quantile(
      runs.map((run) => run[of]),
      0.5,
    );
  return {
    perSecond: median('perSecond'),
    p50Ms: median('p50Ms'),
    p99Ms: median('p99Ms'),
    cpuUs: median('cpuUs'),
    databaseUs: median('databaseUs'),
  };
}

/** Runs a load for some seconds. Any answer but 200 makes the figures worthless, so it throws. */
export async function run(load: Load, seconds: number): Promise<Figures> {
  const { server, path, headers = {}, method = 'GET', bodies, connections = 16 } = load;
  const url = server.url + (typeof path === 'string' ? path : '');
  const paths = typeof path === 'string' ? {} : { setupRequest: <R>(request: R) => ({ ...request, path: path() }) };
  const cpuBefore = server.cpuUs();
  const databaseBefore = server.databaseCpuUs?.() ?? 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    ...(bodies === undefined
      ? { requests: [{ headers, method, ...paths }] }
      : { requests: bodies.map((body) => ({ method, headers, body })) }),
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were not 200, ${result.errors} requests failed`);
  }
  return {
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuUs: (server.cpuUs() - cpuBefore) / result['2xx'],
    databaseUs: ((server.databaseCpuUs?.() ?? 0) - databaseBefore) / result['2xx'],
  };
}

/** Runs loads alternately, so that changes of the machine's speed affect all. */
export async function runInTurn(loads: readonly Load[], rounds: number, seconds: number): Promise<Figures[]> {
  const runs = loads.map((): Figures[] => []);
  for (const load of loads) await run(load, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, load] of loads.entries()) runs[at]?.push(await run(load, seconds));
  }
  return runs.map(medianOf);
}
