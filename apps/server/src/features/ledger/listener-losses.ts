// Counts what the syslog listeners lose before the store: datagrams, and lines that can never be stored. The counts are
// kept in memory and written every few seconds. A kill -9 loses those of the last seconds, as it loses datagrams that
// wait in the socket; the gap that the next start adds covers both.
import { unixSeconds } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { errlogStore, type ListenerLoss, MARK_EVERY_S } from '@quarterdeck/store';
import type { Logger } from 'pino';

const WRITE_EVERY_MS = 5_000;

export interface ListenerLosses {
  /** Counts lines that were lost within the last seconds. */
  note(stage: ListenerLoss['stage'], lines: number, withinS: number): void;
  /** Writes what was counted. */
  flush(): Promise<void>;
  /** Writes the rest. */
  close(): Promise<void>;
}

interface LossNeeds {
  readonly db: Database;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Opens the count, and adds the gap since a server has listened last. */
export async function openListenerLosses({ db, log, now }: LossNeeds): Promise<ListenerLosses> {
  const store = errlogStore(db);
  const nowS = () => unixSeconds(now());
  let losses: ListenerLoss[] = [];
  let markedS = nowS();
  await db.write((tx) => store.recordStart(tx, markedS));

  async function write(): Promise<void> {
    const written = losses;
    const atS = nowS();
    losses = [];
    try {
      await db.write(async (tx) => {
        await store.lock(tx);
        await store.recordListening(tx, written, atS);
      });
      markedS = atS;
    } catch (error) {
      losses = [...written, ...losses];
      log.warn({ err: error }, 'losses of the syslog listeners were not written; retrying');
    }
  }

  const flush = async () => {
    if (losses.length > 0 || nowS() - markedS >= MARK_EVERY_S) await write();
  };
  const timer = setInterval(() => void flush(), WRITE_EVERY_MS);
  timer.unref();
  return {
    note(stage, lines, withinS) {
      const fromS = nowS() - withinS;
      const i = losses.findIndex((loss) => loss.stage === stage);
      const known = losses[i];
      if (known === undefined) losses.push({ stage, lines, fromS });
      else losses[i] = { stage, lines: known.lines + lines, fromS: Math.min(known.fromS, fromS) };
    },
    flush,
    async close() {
      clearInterval(timer);
      await write();
    },
  };
}
