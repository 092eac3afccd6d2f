// Whoever a request comes from, however they proved it.
import type { Permission } from './permissions.ts';

/** A person, by session or by API token. */
export interface UserActor {
  readonly kind: 'user';
  readonly userId: number;
  readonly username: string;
  readonly role: string;
  readonly permissions: readonly Permission[];
  readonly credential: {
    readonly kind: 'session' | 'api_token';
    readonly id: number;
    /** Unix milliseconds, 0 = never. */
    readonly expireMs: number;
  };
}

/** An agent, by its own secret. */
export interface AgentActor {
  readonly kind: 'agent';
  readonly agentId: number;
  readonly permissions: readonly Permission[];
}

/** The caller of a request. */
export type Actor = UserActor | AgentActor;
