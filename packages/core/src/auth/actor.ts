// Whoever a request comes from, however they proved it.
import type { Permission } from './permissions.ts';

/** Milliseconds for which a sign-in or a confirmation of a session counts as recent. */
export const CONFIRMED_FOR_MS = 10 * 60_000;

/** A person, by session or by API token. */
export interface UserActor {
  readonly kind: 'user';
  readonly userId: number;
  readonly username: string;
  readonly role: string;
  /** What this request may do: the role's permissions, within the scopes of the token. */
  readonly permissions: readonly Permission[];
  readonly secondFactor: boolean;
  /** The role demands a second factor that is not there: there are no permissions until it is. */
  readonly mustSetUpSecondFactor: boolean;
  /** Scopes of the API token; null = none were chosen, or it is a session. */
  readonly scopes: readonly Permission[] | null;
  readonly credential: {
    readonly kind: 'session' | 'api_token';
    readonly id: number;
    /** Unix milliseconds, 0 = never. */
    readonly expireMs: number;
    /**
     * The session signed in, or confirmed itself, within the last {@link CONFIRMED_FOR_MS}. False for an API token:
     * nobody is there to confirm it.
     */
    readonly confirmed: boolean;
  };
}

/** An agent, by its own secret. */
export interface AgentActor {
  readonly kind: 'agent';
  readonly agentId: number;
  readonly permissions: readonly Permission[];
}

/** Whoever holds an enrolment token: it registers agents, and opens nothing else. */
export interface EnrollmentActor {
  readonly kind: 'enrollment';
  readonly enrollmentId: number;
  readonly permissions: readonly Permission[];
}

/** The caller of a request. */
export type Actor = UserActor | AgentActor | EnrollmentActor;
