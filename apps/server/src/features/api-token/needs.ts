import type { SessionIdle } from '../../auth/session-idle.ts';
import type { RecordingNeeds } from '../audit/needs.ts';
import type { TokenUses } from './token-uses.ts';

/** Parts of a server that API tokens work with. */
export interface TokenNeeds extends RecordingNeeds {
  /** Longest expiry of an API token in days; undefined = unlimited. */
  readonly tokenMaxDays: number | undefined;
  readonly sessionIdle: SessionIdle;
  readonly tokenUses: TokenUses;
  /** Maximum of API tokens of one user that have not expired. */
  readonly maxTokensPerUser: number;
}
