// A store of changes under a test clock.
import type { HostChange } from '@quarterdeck/core';
import { createLog } from '../../src/log.ts';
import type { FoundChange } from '../../src/observe/watcher.ts';
import { ChangeStore } from '../../src/watch/change-store.ts';

/** Time at which tests start, Unix milliseconds. */
export const START_MS = 1_800_000_000_000;

export class TestClock {
  wallMs = START_MS;
  monotonicMs = 5_000;

  /** Lets time pass. */
  pass(ms: number): void {
    this.wallMs += ms;
    this.monotonicMs += ms;
  }
}

/** Options of {@link openStore}. */
interface Opened {
  readonly names?: readonly string[];
  readonly lines?: string[];
  readonly onWaiting?: () => void;
}

/** Opens the store in a folder, as a new process does. */
export const openStore = (agentDir: string, clock: TestClock, options: Opened = {}): Promise<ChangeStore> =>
  ChangeStore.open({
    agentDir,
    names: options.names ?? ['config'],
    log: createLog({ write: (line) => void options.lines?.push(line) }, 'debug', false),
    now: () => clock.wallMs,
    monotonicMs: () => clock.monotonicMs,
    onWaiting: options.onWaiting ?? (() => undefined),
  });

/** A change of a file. */
export const found = (field: string, over: Partial<FoundChange> = {}): FoundChange => ({
  kind: 'config',
  field,
  from: 'a',
  to: 'b',
  ...over,
});

export const fieldsOf = (changes: readonly HostChange[]): string[] => changes.map(({ field }) => field);
