// Sends the batches of the spool in order, each until the server accepts or refuses it.
import type { Logger } from 'pino';
import type { ServerApi } from '../api/server-api.ts';
import type { Enrollment } from '../files/state.ts';
import { isBatchRejected, isIdentityRejected, reasonOf, retryAfterMs } from '../process/failures.ts';
import { backoffDelayMs, type Random, REJECTED_MAX_S } from '../process/timing.ts';
import { WakeSignal } from '../process/wake-signal.ts';
import type { Spool } from './spool.ts';
import type { StoredBatch } from './spool-file.ts';

/** Counts since the agent started. */
export interface ShippingCounts {
  /** Stored by the server. */
  lines: number;
  /** Refused by the server, which could not read them. */
  refused: number;
  /** In batches that can no longer be read from the disk; a batch found damaged at the start counts as one. */
  damaged: number;
}

export interface SenderOptions {
  readonly serverApi: Pick<ServerApi, 'ship'>;
  readonly spool: Spool;
  /** Enrollment to send with; undefined while this host is not enrolled. */
  readonly enrollment: () => Enrollment | undefined;
  readonly counts: ShippingCounts;
  /** Notified when the server has accepted a report: it knows this agent. None: attempts wait their full time. */
  readonly accepted?: WakeSignal | undefined;
  /** Notified when a batch was added. */
  readonly filled: WakeSignal;
  /** Notified when a batch was removed. */
  readonly emptied: WakeSignal;
  readonly log: Logger;
  readonly random: Random;
  readonly signal: AbortSignal;
}

const IDLE_MS = 60_000;
const NOT_ENROLLED_MS = 1_000;
/** Maximum wait between two attempts, unless the server asks for more. */
const BACK_OFF_MAX_S = 30;

/** Failures to read a batch, with waits that grow to half a minute, before it is given up: later lines wait for it. */
const READ_TRIES = 12;

/** Sends until the signal is aborted. */
export async function sendAll(options: SenderOptions): Promise<void> {
  const { spool, counts, filled, emptied, log, random, signal } = options;
  let failures = 0;
  let isRejected = false;
  let unread = 0;

  /** Sends a batch. Returns the milliseconds until the next attempt; undefined when the batch is finished. */
  async function send(batch: StoredBatch): Promise<number | undefined> {
    const enrollment = options.enrollment();
    if (enrollment === undefined) return NOT_ENROLLED_MS;
    try {
      const { accepted, refused } = await options.serverApi.ship(enrollment, batch, signal);
      counts.lines += accepted;
      refuse(refused, batch);
      if (failures > 0) log.info({ failures }, 'lines can be sent again');
      failures = 0;
      isRejected = false;
      return undefined;
    } catch (error) {
      if (signal.aborted) return 0;
      if (isBatchRejected(error, batch.lines === 0)) {
        counts.refused += batch.lines;
        if (batch.lines === 0) return undefined;
        log.error(
          { lines: batch.lines, ...reasonOf(error) },
          'the server refused all lines of a batch; they are dropped',
        );
        return undefined;
      }
      failures += 1;
      if (failures === 1) log.warn(reasonOf(error), 'cannot send lines; keeping them on the disk, retrying');
      isRejected = isIdentityRejected(error);
      return backoffDelayMs(failures, isRejected ? REJECTED_MAX_S : BACK_OFF_MAX_S, random, retryAfterMs(error));
    }
  }

  function refuse(refused: readonly { readonly index: number }[], { lines }: StoredBatch): void {
    counts.refused += refused.length;
    // The server's reasons may repeat the lines, so they are not logged.
    if (refused.length > 0) log.warn({ refused: refused.length, lines }, 'the server refused some lines of a batch');
  }

  /** Reads the first batch; a number is the milliseconds until another try. */
  async function readFirst(): Promise<StoredBatch | 'damaged' | number | undefined> {
    try {
      const batch = await spool.first(unread >= READ_TRIES);
      unread = 0;
      return batch;
    } catch (error) {
      unread += 1;
      if (unread === 1) log.warn(reasonOf(error), 'cannot read a batch on the disk; trying again');
      return backoffDelayMs(unread, BACK_OFF_MAX_S, random);
    }
  }

  while (!signal.aborted) {
    const batch = await readFirst();
    if (typeof batch === 'number') {
      await new WakeSignal().wait(batch, signal);
      continue;
    }
    if (batch === undefined) {
      await filled.wait(IDLE_MS, signal);
      continue;
    }
    const waitMs = batch === 'damaged' ? undefined : await send(batch);
    if (waitMs !== undefined) {
      const waking = isRejected ? options.accepted : undefined;
      await (waking ?? new WakeSignal()).wait(waitMs, signal);
      continue;
    }
    const lines = await spool.removeFirst();
    if (batch === 'damaged') {
      counts.damaged += lines;
      log.error({ lines }, 'cannot read a batch on the disk; its lines are lost');
    }
    emptied.notify();
  }
}
