import type { RecordingNeeds } from '../audit/needs.ts';
import type { VerifyIdToken } from './id-token.ts';

/** Parts of a server that trust rules work with. */
export interface TrustNeeds extends RecordingNeeds {
  readonly verifyIdToken: VerifyIdToken;
}
