// Quotas of sources, as token buckets. A bucket fills continuously up to the lines of one minute. A batch is accepted
// while its buckets are not empty, so a batch larger than the quota is delayed, not lost.
import { AppError } from '@quarterdeck/core/plain';
import type { Sender } from '@quarterdeck/store';
import type { LineColumns } from '@quarterdeck/store/line-columns';

/** Most buckets kept; a removed one is full again. */
const BUCKETS_MAX = 10_000;

interface Bucket {
  lines: number;
  atMs: number;
}

/**
 * Takes lines from the quotas of their sources, at a time in Unix milliseconds.
 *
 * @throws AppError `quota_exceeded` if one of them is used up; then nothing is taken
 */
export type TakeQuota = (lines: LineColumns, nowMs: number) => void;

/** Creates quotas of `perMinute` lines for each source; 0 is unlimited. */
export function createQuota(perMinute: number): TakeQuota {
  if (perMinute === 0) return () => {};
  const buckets = new Map<string, Bucket>();

  function bucketOf({ nodeType, nodeId, name }: Sender, atMs: number): Bucket {
    const key = `${nodeType},${nodeId},${name}`;
    const bucket = buckets.get(key) ?? { lines: perMinute, atMs };
    // The map is ordered by last use: the oldest bucket goes first.
    buckets.delete(key);
    buckets.set(key, bucket);
    if (buckets.size > BUCKETS_MAX) {
      for (const oldest of buckets.keys()) {
        buckets.delete(oldest);
        break;
      }
    }
    bucket.lines = Math.min(perMinute, bucket.lines + ((atMs - bucket.atMs) / 60_000) * perMinute);
    bucket.atMs = atMs;
    return bucket;
  }

  return ({ senders, senderOf }, nowMs) => {
    const wanted = new Uint32Array(senders.length);
    for (const sender of senderOf) wanted[sender] = (wanted[sender] as number) + 1;
    const taken = senders.map((sender, i) => ({ bucket: bucketOf(sender, nowMs), n: wanted[i] as number }));
    const empty = taken.find(({ bucket }) => bucket.lines <= 0);
    if (empty !== undefined) {
      const waitS = Math.ceil(((1 - empty.bucket.lines) / perMinute) * 60);
      throw new AppError('quota_exceeded', { retryAfterS: Math.max(1, waitS) });
    }
    for (const { bucket, n } of taken) bucket.lines -= n;
  };
}
