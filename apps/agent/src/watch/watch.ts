// Assembles the watchers of this host, their store, and the signal that wakes the next report.

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { HostCertificate } from '@quarterdeck/core';
import type { Logger } from 'pino';
import type { Host } from '../facts/host.ts';
import { StateError } from '../files/state.ts';
import type { Random } from '../process/timing.ts';
import type { WakeSignal } from '../process/wake-signal.ts';
import { certificatesOf } from './certificates.ts';
import { ChangeStore, type Changes, type Clocks } from './change-store.ts';
import type { HashKey } from './config/hash-key.ts';
import { commandsCpuMs, ownCpuMs } from './processor-time.ts';
import { watchFolder } from './watch-file.ts';
import { LookRequest, runWatchers } from './watch-loop.ts';
import { WATCHERS, type WatcherName, type WatchSettings } from './watchers.ts';

export interface WatchOptions extends Clocks {
  readonly host: Host;
  readonly log: Logger;
  readonly random: Random;
  readonly reportDue: WakeSignal;
  /** Key of the installation for hashes of files; undefined while no server has handed it out. */
  readonly installationKey: () => HashKey | undefined;
  /** Stops the watchers when aborted. */
  readonly signal: AbortSignal;
}

export interface Watch {
  readonly changes: Changes;
  /** Certificates at the last look; undefined before the first one. A host that does not watch them has none. */
  certificates(): HostCertificate[] | undefined;
  /** Brings the next look of all watchers forward, because the host has a new error. */
  lookSoon(): void;
  /** Runs the watchers until the signal is aborted. */
  run(): Promise<void>;
}

/** Milliseconds between two reports that changes wake. */
const WAKE_EVERY_MS = 5_000;

/** Waits without throwing when the signal is aborted. */
const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => undefined);

/** Makes a function that wakes the next report, at most every few seconds; a call in between wakes it later. */
export function createWaker(reportDue: WakeSignal, monotonicMs: () => number): () => void {
  let isPlanned = false;
  let nextMs = Number.NEGATIVE_INFINITY;
  const wake = (): void => {
    isPlanned = false;
    nextMs = monotonicMs() + WAKE_EVERY_MS;
    reportDue.notify();
  };
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(wake, Math.max(0, nextMs - monotonicMs())).unref();
  };
}

interface WatchConfig extends WatchSettings {
  /** Folder of the agent. */
  readonly agentDir: string;
  /** The watchers that run. */
  readonly watch: readonly WatcherName[];
}

/**
 * Opens the store of the watchers; nothing is watched before `run`.
 *
 * @throws StateError when the folder cannot be used
 */
export async function openWatch(config: WatchConfig, options: WatchOptions): Promise<Watch> {
  const { host, log, installationKey, now, monotonicMs, random, reportDue, signal } = options;
  const { agentDir, watch: names } = config;
  const onWaiting = createWaker(reportDue, monotonicMs);
  const dir = watchFolder(agentDir);
  const store = await ChangeStore.open({ agentDir, names, log, now, monotonicMs, onWaiting }).catch((cause) => {
    throw new StateError(`cannot use the folder ${dir}`, { cause });
  });
  const watchers = names.map((name) =>
    WATCHERS[name].create({ config, host, dir: join(dir, name), installationKey, now, log }),
  );
  const lookSoon = new LookRequest();
  return {
    changes: store,
    lookSoon: () => lookSoon.ask(),
    certificates() {
      if (!names.includes('certificates')) return [];
      const observed = store.observed('certificates');
      return observed && certificatesOf(observed);
    },
    run: () =>
      runWatchers({
        watchers,
        store,
        log,
        monotonicMs,
        cpuMs: ownCpuMs,
        commandsCpuMs,
        random,
        sleep,
        signal,
        lookSoon,
      }),
  };
}
