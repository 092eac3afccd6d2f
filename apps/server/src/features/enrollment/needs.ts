import type { RecordingNeeds } from '../audit/needs.ts';

/** Parts of a server that enrollment tokens work with. */
export interface EnrollmentNeeds extends Pick<RecordingNeeds, 'db' | 'key' | 'audit' | 'now'> {}
