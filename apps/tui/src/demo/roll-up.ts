// Equal errors of several sources as one row, as the server rolls them up. Pure.
import type { ErrlogEntry } from '@quarterdeck/sdk';

const errorOf = ({ id, fingerprint, level, app_id: app = 0 }: ErrlogEntry): string =>
  fingerprint === undefined ? String(id) : `${fingerprint} ${level} ${app}`;

const sumOf = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0);

/** Rolls groups up, in the order of their newest. */
export const rolledUp = (entries: readonly ErrlogEntry[]): ErrlogEntry[] =>
  [...Map.groupBy(entries, errorOf).values()].flatMap((same): ErrlogEntry[] => {
    const newest = same.reduce((a, b) => (b.log_time > a.log_time ? b : a));
    const inRange = same.flatMap(({ count_in_range: n }) => n ?? []);
    return [
      {
        ...newest,
        count: sumOf(same.map(({ count }) => count)),
        first_seen: Math.min(...same.map((entry) => entry.first_seen ?? entry.log_time)),
        sources: same.length,
        ...(inRange.length === 0 ? {} : { count_in_range: sumOf(inRange) }),
      },
    ];
  });
