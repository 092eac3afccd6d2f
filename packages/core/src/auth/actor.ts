// The authenticated caller of a request, by any kind of credential.
import type { Permission } from './permissions.ts';

/** Milliseconds for which a sign-in or a confirmation of a session counts as recent. */
export const CONFIRMED_FOR_MS = 10 * 60_000;

/** A person, by session or by API token. */
export interface UserActor {
  readonly kind: 'user';
  readonly userId: number;
  readonly username: string;
  readonly role: string;
  /** Permissions of this request: those of the role, within the scopes of the token. */
  readonly permissions: readonly Permission[];
  readonly secondFactor: boolean;
  /** The role requires a second factor that is not set up; there are no permissions until it is. */
  readonly mustSetUpSecondFactor: boolean;
  /** Scopes of the API token; null = none were chosen, or the caller is a session. */
  readonly scopes: readonly Permission[] | null;
  /**
   * Sources that the caller may see, in the filter language: the filter of the user and that of the API token, both of
   * which must hold. Empty is all.
   */
  readonly errlogFilter: string;
  readonly credential: {
    /** `link`: whoever has a read-only link of this user. */
    readonly kind: 'session' | 'api_token' | 'link';
    readonly id: number;
    /** Name of the API token; `''` for a session or a token without a name. */
    readonly name: string;
    /** The part of the filter of sources that is the API token's own; empty is none. */
    readonly errlogFilter: string;
    /** Unix milliseconds, 0 = never. */
    readonly expireMs: number;
    /**
     * True when the session signed in, or was confirmed, within the last {@link CONFIRMED_FOR_MS}. Always false for an
     * API token, which nobody can confirm.
     */
    readonly confirmed: boolean;
  };
  /**
   * Called with each permission that a request needed and had, and with its endpoint, such as `GET /metrics`. Set for
   * an API token, where a server counts its uses.
   */
  readonly noteUse?: ((name: string) => void) | undefined;
}

/** An agent, by its own secret. */
export interface AgentActor {
  readonly kind: 'agent';
  readonly agentId: number;
  readonly permissions: readonly Permission[];
}

/** Holder of an enrollment token, which registers agents and permits nothing else. */
export interface EnrollmentActor {
  readonly kind: 'enrollment';
  readonly enrollmentId: number;
  readonly permissions: readonly Permission[];
}

/** Sources that a caller may see, in the filter language; empty is all, or that the caller reads nothing of sources. */
export const sourcesOf = (actor: Actor | null): string => (actor?.kind === 'user' ? actor.errlogFilter : '');

/** True for a caller that sees a part of the sources. */
export const isRestricted = (actor: Actor | null): boolean => sourcesOf(actor) !== '';

/** The caller of a request. */
export type Actor = UserActor | AgentActor | EnrollmentActor;
