// Vitals of a host in the last hours: each resource in steps of time and in words. Pure but for the read.
import { RESOURCE_LIMITS, type Resource, secondsUntilFull, usedPercent } from '@quarterdeck/core/plain';
import type { Client, VitalsSample } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';
import { span } from '../text/format.ts';

/** Hours that are shown. */
export const VITALS_HOURS = 6;

/** Vitals of a span. */
export interface AgentVitalsRead {
  readonly samples: readonly VitalsSample[];
  /** Unix seconds. */
  readonly startS: number;
  readonly endS: number;
}

/** Reads the vitals of the last hours before a time, Unix seconds. */
export async function agentVitals(
  client: Client,
  id: number,
  endS: number,
  signal: AbortSignal,
): Promise<AgentVitalsRead> {
  const query = { start_time: endS - VITALS_HOURS * 3600, end_time: endS };
  const { data, meta } = await client.agent.vitals({ params: { id }, query }, { signal });
  return { samples: data, startS: meta.start_time, endS: meta.end_time };
}

/** A resource over time. */
export interface VitalsRow {
  /** `CPU`, `Disk /var`. Cleaned. */
  readonly label: string;
  /** Highest percentage of each step of time, oldest first; null where the host reported nothing. */
  readonly steps: readonly (number | null)[];
  /** Usual limit, percent. */
  readonly limit: number;
  /** The latest value is over the limit. */
  readonly isOver: boolean;
  /** `97 % now, over 80 %, full in 3h20m`. */
  readonly text: string;
}

const NAMES: Readonly<Record<Resource, string>> = { cpu: 'CPU', memory: 'Memory', disk: 'Disk', load: 'Load' };
/** Age from which the latest value is not that of now, seconds. */
const OLD_S = 300;

/** The resources of a host in equal steps of time; a resource that it did not tell is left out. */
export function vitalsRows({ samples, startS, endS }: AgentVitalsRead, steps: number): VitalsRow[] {
  const paths = [...new Set(samples.flatMap(({ disk }) => Object.keys(disk)))].sort();
  const rowOf = (resource: Resource, path?: string): VitalsRow[] => {
    const highest = new Array<number | null>(steps).fill(null);
    let latest: { readonly percent: number; readonly time: number } | undefined;
    for (const sample of samples) {
      const percent = usedPercent(path === undefined ? sample : onlyDisk(sample, path), resource);
      if (percent === null) continue;
      const at = Math.min(steps - 1, Math.max(0, Math.floor(((sample.time - startS) / (endS - startS)) * steps)));
      highest[at] = Math.max(highest[at] ?? 0, percent);
      latest = { percent, time: sample.time };
    }
    if (latest === undefined) return [];
    const limit = RESOURCE_LIMITS[resource];
    const isOver = latest.percent > limit;
    const full = path === undefined ? undefined : secondsUntilFull(samples, path);
    const most = Math.max(...highest.map((percent) => percent ?? 0));
    const text = [
      `${Math.round(latest.percent)} % ${endS - latest.time > OLD_S ? `${span((endS - latest.time) * 1000)} before` : 'now'}`,
      ...(isOver ? [`over ${limit} %`] : []),
      ...(!isOver && most > limit ? [`up to ${Math.round(most)} %`] : []),
      ...(full === undefined ? [] : [`full in ${span(full * 1000)}`]),
    ].join(', ');
    const label = [NAMES[resource], ...(path === undefined ? [] : [clean(path)])].join(' ');
    return [{ label, steps: highest, limit, isOver, text }];
  };
  return [...rowOf('cpu'), ...rowOf('memory'), ...rowOf('load'), ...paths.flatMap((path) => rowOf('disk', path))];
}

const onlyDisk = (sample: VitalsSample, path: string): VitalsSample => {
  const space = Object.hasOwn(sample.disk, path) ? sample.disk[path] : undefined;
  return { ...sample, disk: space === undefined ? {} : { [path]: space } };
};
