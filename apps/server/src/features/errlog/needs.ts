import type { LineReads } from '@quarterdeck/store';
import type { RecordingNeeds } from '../audit/needs.ts';
import type { IntakeNeeds } from './intake/needs.ts';

/** Parts of a server that error logs work with. */
export interface ErrlogNeeds extends IntakeNeeds, Pick<RecordingNeeds, 'events' | 'audit'> {
  readonly lineReads: LineReads;
}
