// Interface of what watches a host for changes.
import type { HostChangeKind } from '@quarterdeck/core';

/** A change that a watcher found. */
export interface FoundChange {
  readonly kind: HostChangeKind;
  /** The thing that changed: a path, a program, a package. */
  readonly field: string;
  readonly from: string;
  readonly to: string;
  /** Changed lines with secrets masked. */
  readonly diff?: string;
  /** Unix milliseconds at which it happened, where the host tells; else the time of the look counts. */
  readonly atMs?: number;
}

/** Values by what they describe, such as the version of each package. */
export type Observed = Readonly<Record<string, string>>;

/** A source of changes. */
export interface Watcher {
  /** Name under which its last observation is stored, and of its setting. */
  readonly name: string;
  /** Seconds between two looks. */
  readonly everyS: number;
  /**
   * Looks at the host and compares with the last look, which also survives a restart of the agent; undefined on the
   * first one, which finds no changes. Bounded in time, bytes and processor time. Rejects where nothing can be seen:
   * the last observation then stays.
   */
  look(before: Observed | undefined, signal: AbortSignal): Promise<Look>;
}

export interface Look {
  readonly observed: Observed;
  readonly changes: readonly FoundChange[];
}
