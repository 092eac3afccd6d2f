// Log shipping: from the followed files through batches and the spool to the server. No line is lost, none counts twice,
// whatever stops the agent or the server at whatever moment: docs/decisions/015.

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentShipper } from '@quarterdeck/core';
import type { Logger } from 'pino';
import type { Entry } from '../follow/entry-joiner.ts';
import { Follower } from '../follow/follower.ts';
import { readEntry } from '../lines/read-entry.ts';
import { WakeSignal } from '../wake-signal.ts';
import { Batch } from './batch.ts';
import { type SenderOptions, type ShippingCounts, sendAll } from './sender.ts';
import { Spool } from './spool.ts';

/** What {@link openShipper} needs. */
export interface ShipperOptions extends Pick<SenderOptions, 'serverApi' | 'enrolment' | 'random' | 'signal'> {
  /** Globs of the files to follow, as absolute paths. */
  readonly files: readonly string[];
  /** The agent's folder. */
  readonly agentDir: string;
  /** How much may wait on the disk before files are not read any further. */
  readonly spoolMaxBytes: number;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds between two looks at the files; a second by default. */
  readonly pollEveryMs?: number;
}

/** See the head of this file. */
export interface Shipper {
  /** Ships until the signal is aborted. */
  run(): Promise<void>;
  /** Opens all files anew; what was read of them stays read. */
  reopen(): void;
  state(): AgentShipper;
}

const POLL_EVERY_MS = 1_000;
const WRITE_AGAIN_MS = 1_000;

/** Opens the spool; nothing is read or sent before `run`. Throws what the system says where the folder cannot be used. */
export async function openShipper(options: ShipperOptions): Promise<Shipper> {
  const { files, agentDir, spoolMaxBytes, pollEveryMs = POLL_EVERY_MS, log, now, signal } = options;
  const { spool, positions, lost } = await Spool.open(join(agentDir, 'spool'), spoolMaxBytes, log);
  const sent: ShippingCounts = { lines: 0, refused: 0, damaged: lost };
  const filled = new WakeSignal();
  const emptied = new WakeSignal();
  const woken = new WakeSignal();
  let batch = new Batch();
  let isFull = false;

  const follower = new Follower({
    globs: files,
    positions,
    log,
    hasRoom: () => spool.hasRoom && !signal.aborted,
    onEntry: async ({ text }: Entry) => {
      const line = readEntry(text, Math.floor(now() / 1000));
      if (batch.add(line)) return;
      await seal();
      batch.add(line);
    },
    onChange: async () => {
      if (batch.isEmpty) await untilWritten(() => spool.save(follower.positions()));
      else await seal();
    },
  });

  /** Puts the batch on the disk, with the places as they are now: behind the last line that is in it. */
  async function seal(): Promise<void> {
    if (batch.isEmpty) return;
    const sealed = batch.seal();
    await untilWritten(() => spool.put(sealed, follower.positions()));
    batch = new Batch();
    filled.notify();
  }

  /** Tries again until the disk takes it. Nothing is read meanwhile. */
  async function untilWritten(write: () => Promise<void>): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      signal.throwIfAborted();
      try {
        await write();
        if (failures > 0) log.info('lines can be kept on the disk again');
        return;
      } catch (error) {
        if (failures === 0)
          log.error({ reason: String(error) }, 'lines cannot be kept on the disk; not reading on until they can');
      }
      await pause(WRITE_AGAIN_MS, undefined, { signal });
    }
  }

  /** True where there is more to do already. */
  async function look(): Promise<boolean> {
    const hasMore = await follower.poll();
    await seal();
    const wasFull = isFull;
    isFull = !spool.hasRoom;
    if (isFull && !wasFull)
      log.warn({ bytes: spool.bytes }, 'what waits to be sent fills its place; not reading on until it is sent');
    return hasMore;
  }

  async function follow(): Promise<void> {
    let lastError = '';
    while (!signal.aborted) {
      let hasMore = false;
      try {
        hasMore = await look();
        lastError = '';
      } catch (error) {
        if (signal.aborted) break;
        if (String(error) !== lastError)
          log.error({ reason: String(error) }, 'the log files cannot be read; trying again');
        lastError = String(error);
      }
      if (!hasMore) await (isFull ? emptied : woken).wait(pollEveryMs, signal);
    }
    await follower.close();
  }

  return {
    async run() {
      await Promise.all([follow(), sendAll({ ...options, spool, counts: sent, filled, emptied })]);
    },
    reopen() {
      follower.reopen();
      woken.notify();
    },
    state: () => ({
      files: follower.count,
      lines: sent.lines,
      bytes_waiting: follower.bytesWaiting + spool.bytes,
      lines_dropped: follower.losses + sent.damaged,
      lines_refused: sent.refused,
    }),
  };
}
