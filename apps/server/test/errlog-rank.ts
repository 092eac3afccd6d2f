// What errlog_rank must hold at any moment, computed from the groups there are.
import type { Database } from '@quarterdeck/core/db';
import { expect } from 'vitest';

/** Seconds per bucket at each height. */
const WIDTHS = [64, 4_096, 262_144, Number.POSITIVE_INFINITY];

/** Fails unless every bucket of `errlog_rank` has the number of groups that are in it, and there is no other bucket. */
export async function expectTrueRank({ read: { prisma } }: Database): Promise<void> {
  const wanted = new Map<string, number>();
  for (const { src, level, logTime } of await prisma.errlog.findMany({
    select: { src: true, level: true, logTime: true },
  })) {
    for (const [height, width] of WIDTHS.entries()) {
      const bucket = Math.floor(Number(logTime) / width);
      for (const scope of ['-1,-1', `-1,${level}`, `${src},${level}`]) {
        const key = `${height},${scope},${bucket}`;
        wanted.set(key, (wanted.get(key) ?? 0) + 1);
      }
    }
  }
  const rows = await prisma.errlogRank.findMany();
  const got = new Map(
    rows.map(({ height, src, level, bucket, n }) => [`${height},${src},${level},${bucket}`, Number(n)]),
  );
  // Two maps of thousands make a poor message.
  const wrong = [...new Set([...wanted.keys(), ...got.keys()])].filter((key) => wanted.get(key) !== got.get(key));
  expect(wrong.map((key) => ({ key, wanted: wanted.get(key), got: got.get(key) }))).toEqual([]);
}
