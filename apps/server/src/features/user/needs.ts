import type { Passwords } from '../../auth/passwords.ts';
import type { SessionIdle } from '../../auth/session-idle.ts';
import type { RecordingNeeds } from '../audit/needs.ts';

/** Parts of a server that users work with. */
export interface UserNeeds extends RecordingNeeds {
  readonly passwords: Passwords;
  readonly sessionIdle: SessionIdle;
  /** Providers that people may sign in with. */
  readonly providers: readonly { readonly name: string }[];
  /** Users who may sign in with a password. */
  readonly passwordLogin: 'all' | 'masters';
}
