import type { RecordingNeeds } from '../audit/needs.ts';
import type { KindNeeds } from './kinds/kind.ts';

/** Parts of a server that alerts work with. */
export interface AlertNeeds extends KindNeeds, Pick<RecordingNeeds, 'log' | 'events' | 'audit'> {
  /** Milliseconds that only move forward. */
  readonly monotonic: () => number;
  /** Address of this server for people, without a slash at its end. */
  readonly publicUrl: string | undefined;
}
