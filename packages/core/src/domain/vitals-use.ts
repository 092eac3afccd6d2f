// The used share of each resource of a host, by which it is judged. No schemas: every front end shows it.
import type { Resource } from './vitals-limits.ts';

/** Used and free bytes of file systems, by their mount points. */
export type DiskUse = Readonly<Record<string, { readonly used: number; readonly free: number }>>;

type Reported<Value> = Value | null | undefined;

/** Vitals of a report or of a minute. */
interface Vitals {
  readonly cpu?: Reported<number>;
  readonly memory?: Reported<number>;
  readonly load?: Reported<readonly number[]>;
  readonly cores?: Reported<number>;
  readonly disk?: DiskUse | undefined;
}

/** Used share of a disk, from 0 to 1. */
export const usedShare = ({ used, free }: { readonly used: number; readonly free: number }): number =>
  used + free === 0 ? 0 : used / (used + free);

/** Fullest disk of a host; undefined where it has reported none. */
export function fullestDisk({ disk = {} }: Vitals): { readonly path: string; readonly percent: number } | undefined {
  let fullest: { path: string; percent: number } | undefined;
  for (const [path, space] of Object.entries(disk)) {
    const percent = 100 * usedShare(space);
    if (fullest === undefined || percent > fullest.percent) fullest = { path, percent };
  }
  return fullest;
}

/** Percentage of a resource that is used; null where the host has not reported it. A host without `cores` has one. */
export function usedPercent(vitals: Vitals, resource: Resource): number | null {
  if (resource === 'disk') return fullestDisk(vitals)?.percent ?? null;
  if (resource !== 'load') return vitals[resource] ?? null;
  const [one] = vitals.load ?? [];
  return one === undefined ? null : (100 * one) / (vitals.cores ?? 1);
}
