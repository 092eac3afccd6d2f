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
}

/** A repeated request. */
export interface Load {
  readonly server: Program;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly method?: 'GET' | 'POST';
  /** Bodies, sent in turn. */
  readonly bodies?: readonly string[];
  readonly connections?: number;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The median of several runs, figure by figure. */
export const medianOf = (runs: readonly Figures[]): Figures => ({
  perSecond: median(runs.map((run) => run.perSecond)),
  p50Ms: median(runs.map((run) => run.p50Ms)),
  p99Ms: median(runs.map((run) => run.p99Ms)),
  cpuUs: median(runs.map((run) => run.cpuUs)),
});

/** Runs a load for some seconds. Any answer but 200 makes the figures worthless, so it throws. */
export async function run(load: Load, seconds: number): Promise<Figures> {
  const { server, path, headers = {}, method = 'GET', bodies, connections = 16 } = load;
  const url = server.url + path;
  const cpuBefore = server.cpuUs();
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    ...(bodies === undefined ? { headers, method } : { requests: bodies.map((body) => ({ method, headers, body })) }),
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were not 200, ${result.errors} requests failed`);
  }
  return {
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuUs: (server.cpuUs() - cpuBefore) / result['2xx'],
  };
}

/** Runs two loads alternately, so that changes of the machine's speed affect both. */
export async function runPaired(
  ours: Load,
  theirs: Load,
  rounds: number,
  seconds: number,
): Promise<[Figures, Figures]> {
  const runs: [Figures[], Figures[]] = [[], []];
  await run(ours, 1);
  await run(theirs, 1);
  for (let round = 0; round < rounds; round += 1) {
    runs[0].push(await run(ours, seconds));
    runs[1].push(await run(theirs, seconds));
  }
  return [medianOf(runs[0]), medianOf(runs[1])];
}
