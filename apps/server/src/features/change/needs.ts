import type { RecordingNeeds } from '../audit/needs.ts';

/** Parts of a server that changes work with. */
export interface ChangeNeeds extends Pick<RecordingNeeds, 'db' | 'log' | 'events' | 'audit' | 'now'> {
  /** Aborted when the server stops: requests that wait are answered. */
  readonly stopping: AbortSignal;
}
