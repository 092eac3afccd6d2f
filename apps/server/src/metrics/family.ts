// A family of metrics, as another part of the server keeps its numbers: a request reads them.
import type { Durations } from '@quarterdeck/core/db';
import { EventLoopYield } from '@quarterdeck/core/threads';

/** Labels of one number. Their values are from lists of this server: a label never holds text from outside. */
export type Labels = Readonly<Record<string, string | number>>;

/** One number of a family. */
export interface Sample {
  readonly labels?: Labels | undefined;
  readonly value: number;
  /** Name with a suffix, in histograms. */
  readonly metricName?: string;
}

/** A name with its numbers. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Returns the numbers of now; none where they are not known. */
  readonly read: () => Iterable<Sample>;
}

/** A family with one number; without it where that is undefined. */
export const single = (
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  value: () => number | undefined,
): Family => ({ name, help, type, read: () => sampleOf(value()) });

const sampleOf = (value: number | undefined): Sample[] => (value === undefined ? [] : [{ value }]);

/** A family with one number for each value of a label. */
export const byLabel = (
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  label: string,
  values: () => Readonly<Record<string, number>> | undefined,
): Family => ({
  name,
  help,
  type,
  read: () => Object.entries(values() ?? {}).map(([key, value]) => ({ labels: { [label]: key }, value })),
});

/** A histogram for each set of labels. */
export const histogram = (name: string, help: string, all: () => Iterable<readonly [Labels, Durations]>): Family => ({
  name,
  help,
  type: 'histogram',
  *read() {
    for (const [labels, durations] of all()) yield* samplesOf(name, labels, durations);
  },
});

/** The buckets of a histogram with those below them, its sum and its count. */
function* samplesOf(name: string, labels: Labels, { bounds, counts, sumS }: Durations): Iterable<Sample> {
  let count = 0;
  for (const [i, n] of counts.entries()) {
    count += n;
    yield { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[i] ?? '+Inf' }, value: count };
  }
  yield { metricName: `${name}_sum`, labels, value: sumS };
  yield { metricName: `${name}_count`, labels, value: count };
}

/**
 * Writes families in the text format of Prometheus. Many routes with many statuses are thousands of lines, between
 * which the event loop handles other events.
 */
export async function textOf(families: readonly Family[]): Promise<string> {
  const eventLoop = new EventLoopYield();
  const parts: string[] = [];
  for (const { name, help, type, read } of families) {
    parts.push(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
    for (const { metricName = name, labels, value } of read()) {
      parts.push(`${metricName}${labels === undefined ? '' : labelsText(labels)} ${value}\n`);
      await eventLoop.pause();
    }
    parts.push('\n');
  }
  return parts.join('');
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return `{${pairs.join(',')}}`;
}

const escapeLabel = (text: string): string =>
  text.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
