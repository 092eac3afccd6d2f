// Sends the batches of the spool, one after the other, until each has an answer that says what became of it.
import type { Logger } from 'pino';
import { isBatchRefused, reasonOf, retryAfterMs } from '../failures.ts';
import type { ServerApi } from '../server-api.ts';
import type { Enrolment } from '../state.ts';
import { backoffDelayMs, type Random } from '../timing.ts';
import { WakeSignal } from '../wake-signal.ts';
import type { Spool } from './spool.ts';
import type { StoredBatch } from './spool-file.ts';

/** What became of lines since the agent started. */
export interface ShippingCounts {
  /** Stored by the server. */
  lines: number;
  /** Not taken by the server, which could not read them. */
  refused: number;
  /** In a batch that could not be read from the disk any more; one for a batch that was found so at the start. */
  damaged: number;
}

/** What {@link sendAll} needs. */
export interface SenderOptions {
  readonly serverApi: Pick<ServerApi, 'ship'>;
  readonly spool: Spool;
  /** Who sends; undefined while this host is not enrolled. */
  readonly enrolment: () => Enrolment | undefined;
  readonly counts: ShippingCounts;
  /** Rung when a batch was put in. */
  readonly filled: WakeSignal;
  /** Rung when a batch was taken out. */
  readonly emptied: WakeSignal;
  readonly log: Logger;
  readonly random: Random;
  readonly signal: AbortSignal;
}

const IDLE_MS = 60_000;
const NOT_ENROLLED_MS = 1_000;
/** The longest wait between two tries, unless the server asks for more. */
const BACK_OFF_MAX_S = 30;

/** Sends until the signal is aborted. */
export async function sendAll(options: SenderOptions): Promise<void> {
  const { spool, counts, filled, emptied, log, random, signal } = options;
  let failures = 0;

  /** Milliseconds to wait before the next try; undefined when the batch is done with. */
  async function send(batch: StoredBatch): Promise<number | undefined> {
    const enrolment = options.enrolment();
    if (enrolment === undefined) return NOT_ENROLLED_MS;
    try {
      const { accepted, refused } = await options.serverApi.ship(enrolment, batch, signal);
      counts.lines += accepted;
      refuse(refused, batch);
      if (failures > 0) log.info({ failures }, 'lines are taken again');
      failures = 0;
      return undefined;
    } catch (error) {
      if (signal.aborted) return 0;
      if (isBatchRefused(error)) {
        counts.refused += batch.lines;
        log.error({ lines: batch.lines, ...reasonOf(error) }, 'the server takes no line of a batch');
        return undefined;
      }
      failures += 1;
      if (failures === 1) log.warn(reasonOf(error), 'lines cannot be sent; they are kept until they are');
      return backoffDelayMs(failures, BACK_OFF_MAX_S, random, retryAfterMs(error));
    }
  }

  function refuse(refused: readonly { readonly index: number }[], { lines }: StoredBatch): void {
    counts.refused += refused.length;
    // Why is in words of the server; they might repeat what was sent.
    if (refused.length > 0)
      log.warn({ refused: refused.length, lines }, 'the server did not take some lines of a batch');
  }

  while (!signal.aborted) {
    const batch = await spool.first();
    if (batch === undefined) {
      await filled.wait(IDLE_MS, signal);
      continue;
    }
    const waitMs = batch === 'damaged' ? undefined : await send(batch);
    if (waitMs !== undefined) {
      await new WakeSignal().wait(waitMs, signal);
      continue;
    }
    const lines = await spool.removeFirst();
    if (batch === 'damaged') {
      counts.damaged += lines;
      log.error({ lines }, 'a batch on the disk cannot be read any more; its lines are lost');
    }
    emptied.notify();
  }
}
