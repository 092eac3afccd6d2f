// Watches for steps of the clock: the wall clock against the time since the boot.
import type { Files } from '../facts/files.ts';
import type { Watcher } from '../observe/watcher.ts';

export interface ClockWatcherOptions {
  readonly files: Files;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A smaller step is none: reading both clocks takes time. */
const STEP_MS = 2_000;
/** A sample that took longer says nothing. */
const SAMPLE_MS = 500;

/** Creates the watcher of the clock. */
export function clockWatcher({ files, now }: ClockWatcherOptions): Watcher {
  return {
    name: 'clock',
    everyS: 15,
    async look(before) {
      const boot = (await files.text('/proc/sys/kernel/random/boot_id')).trim();
      const startMs = now();
      // This time includes that of a suspended host, so waking up is no step.
      const uptime = /^\d+(?:\.\d+)?/.exec(await files.text('/proc/uptime'))?.[0];
      const nowMs = now();
      if (uptime === undefined || Math.abs(nowMs - startMs) > SAMPLE_MS) throw new Error('cannot compare the clocks');
      const offsetMs = Math.round(nowMs - Number(uptime) * 1000);
      const stepMs = before?.['boot'] === boot ? offsetMs - Number(before['offset_ms']) : 0;
      const isStep = Math.abs(stepMs) > STEP_MS;
      // The old offset stays without a step, so that many small ones add up.
      const observed = isStep || before?.['boot'] !== boot ? { boot, offset_ms: String(offsetMs) } : before;
      const to = `set ${stepMs > 0 ? 'forward' : 'back'} by ${(Math.abs(stepMs) / 1000).toFixed(1)} s`;
      return { observed, changes: isStep ? [{ kind: 'clock', field: 'clock', from: '', to }] : [] };
    },
  };
}
