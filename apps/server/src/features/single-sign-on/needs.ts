import type { SessionIdle } from '../../auth/session-idle.ts';
import type { RecordingNeeds } from '../audit/needs.ts';
import type { ProviderClient } from './provider-client.ts';

/** Parts of a server that the sign-in with a provider works with. */
export interface SingleSignOnNeeds extends RecordingNeeds {
  readonly sessionIdle: SessionIdle;
  /** The providers by their names. */
  readonly providerClients: ReadonlyMap<string, ProviderClient>;
}
