// Judges a soak by its samples.

/** State of the server at one moment, and its answers since the previous sample. */
export interface Sample {
  /** Minutes since the start. */
  readonly minute: number;
  readonly rssMb: number;
  readonly heapMb: number;
  /** The database and its log on the disk, in MB of 10^6 bytes. */
  readonly fileMb: number;
  readonly logMb: number;
  readonly groups: number;
  /** Stored occurrences of the most frequent group. */
  readonly occurrences: number;
  readonly linesPerSecond: number;
  /** Durations of all answers, sorted. */
  readonly readsMs: readonly number[];
}

/** Value below which this share of the sorted values is. */
export const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const median = (values: readonly number[]) =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

/** Allowed growth of memory from the end of the first third to the end, by the slope of the samples. */
const GROWTH_MAX_MB = 15;
const RSS_MAX_MB = 250;
/** Allowed excess of the file over its bound, for lines that arrive between two checks. */
const OVER_BOUND = 1.25;
const SLOWER_MAX = 1.5;
/** Allowed growth of the file at its bound: freed pages must be reused. */
const FILE_GROWTH_MAX = 1.05;

/** One promise, and whether it was kept. */
export interface Finding {
  readonly what: string;
  readonly kept: boolean;
}

/** Slope of values over minutes (Theil and Sen: the median of all pairs), which is robust against outliers. */
function slope(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const slopes = samples.flatMap((a, i) => samples.slice(i + 1).map((b) => (of(b) - of(a)) / (b.minute - a.minute)));
  return median(slopes);
}

/** Judges the samples of a whole soak; `maxMb` is the configured bound of the database. */
export function judge(samples: readonly Sample[], maxMb: number): Finding[] {
  const third = Math.floor(samples.length / 3);
  const [first, middle, last] = [samples.slice(0, third), samples.slice(third, -third), samples.slice(-third)];
  const settled = [...middle, ...last];
  const minutes = (settled.at(-1)?.minute ?? 0) - (settled[0]?.minute ?? 0);
  const memory = (['rssMb', 'heapMb'] as const).map((name) => {
    const growth = slope(settled, (sample) => sample[name]) * minutes;
    const text = `${growth.toFixed(1)} MB in ${minutes.toFixed(1)} minutes after warming up, at most ${GROWTH_MAX_MB}`;
    return { what: `${name === 'rssMb' ? 'resident memory' : 'heap'} grew by ${text}`, kept: growth <= GROWTH_MAX_MB };
  });
  const rss = Math.max(...samples.map(({ rssMb }) => rssMb));
  const largest = (some: readonly Sample[]) => Math.max(...some.map(({ fileMb }) => fileMb));
  const [fileMiddle, fileLast] = [largest(middle), largest(last)];
  const p99 = (some: readonly Sample[]) =>
    quantile(
      some.flatMap(({ readsMs }) => readsMs).sort((a, b) => a - b),
      0.99,
    );
  const [before, after] = [p99(first), p99(last)];
  return [
    ...memory,
    { what: `resident memory was ${Math.round(rss)} MB at most, ${RSS_MAX_MB} allowed`, kept: rss <= RSS_MAX_MB },
    {
      what: `the database reached its bound of ${maxMb} MB in the first two thirds: ${Math.round(fileMiddle)} MB`,
      kept: fileMiddle >= maxMb,
    },
    {
      what: `it was ${Math.round(fileLast)} MB in the last third, at most ${Math.round(maxMb * OVER_BOUND)}`,
      kept: fileLast <= maxMb * OVER_BOUND,
    },
    {
      what: `it grew by ${((fileLast / fileMiddle - 1) * 100).toFixed(1)} % from the middle third to the last, at most ${Math.round((FILE_GROWTH_MAX - 1) * 100)} %`,
      kept: fileLast <= fileMiddle * FILE_GROWTH_MAX,
    },
    {
      what: `reads: p99 ${before.toFixed(0)} ms in the first third, ${after.toFixed(0)} ms in the last, at most ${SLOWER_MAX} x`,
      kept: after <= before * SLOWER_MAX,
    },
  ];
}
