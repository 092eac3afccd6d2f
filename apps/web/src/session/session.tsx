// The user of the page: nobody, a person with a session in a cookie, or the holder of a read-only link.
import { type Access, can as mayUse } from '@quarterdeck/core/plain';
import { type Client, createClient, isApiError, type Me } from '@quarterdeck/sdk';
import { subjectOf } from '@quarterdeck/views/actions';
import { type Failure, failureOf } from '@quarterdeck/views/failures';
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react';
import { SERVER_URL } from '../api/base.ts';
import { dropAnswers } from '../api/kept-answers.ts';

/** Returns the key of a read-only link from the fragment of an address, `#link=KEY`; undefined without one. */
function linkKeyOf(hash: string): string | undefined {
  const key = new URLSearchParams(hash.slice(1)).get('link') ?? '';
  // Anything else cannot be sent in a header.
  return /^[\w.~-]+$/.test(key) ? key : undefined;
}

/** State of the sign-in. */
export type Session =
  | { readonly status: 'loading'; readonly failure?: Failure }
  /** `hasEnded`: a session was there before. */
  | { readonly status: 'out'; readonly hasEnded: boolean }
  | { readonly status: 'in'; readonly me: Me }
  /** A read-only link to one alert or error. `hasEnded`: it was revoked, or its time is over. */
  | { readonly status: 'link'; readonly hasEnded: boolean };

export interface SignInInput {
  readonly username: string;
  readonly password: string;
  /** Code of the second factor, or a recovery code. */
  readonly otp?: string;
  readonly remember: boolean;
}

/** The session, for pages. */
export interface SessionHandle {
  readonly client: Client;
  readonly session: Session;
  /** Returns whether this person may use an endpoint. */
  readonly can: (access: Access) => boolean;
  /** @throws the errors of a call */
  readonly signIn: (input: SignInInput) => Promise<void>;
  readonly signOut: () => Promise<void>;
  /** Reads the own user again. */
  readonly renew: () => Promise<void>;
  /** Reports the error of a request. A refused session brings the sign-in back. */
  readonly onFailure: (error: unknown) => void;
}

const SessionContext = createContext<SessionHandle | null>(null);

export function useSession(): SessionHandle {
  const handle = use(SessionContext);
  if (handle === null) throw new Error('useSession outside of a SessionProvider');
  return handle;
}

/** Returns the signed-in person; null for nobody, or with a read-only link. */
export function useMe(): Me | null {
  const { session } = useSession();
  return session.status === 'in' ? session.me : null;
}

const RETRY_MS = 3_000;
/** Refusals of a credential, after which a person has to sign in. */
const ENDED: readonly string[] = ['credential_missing', 'credential_invalid', 'session_expired'];

/** Provides the session, and a client with its credential. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  // The key stays in this page's memory: moving to another place drops the fragment.
  const [linkKey] = useState(() => linkKeyOf(location.hash));
  const client = useMemo(
    () => createClient({ url: SERVER_URL, ...(linkKey === undefined ? { session: 'cookie' } : { linkKey }) }),
    [linkKey],
  );
  const [session, setSession] = useState<Session>(
    linkKey === undefined ? { status: 'loading' } : { status: 'link', hasEnded: false },
  );

  const renew = useCallback(async () => {
    setSession({ status: 'in', me: await client.user.me() });
  }, [client]);

  const onFailure = useCallback((error: unknown) => {
    if (!isApiError(error) || !ENDED.includes(error.code)) return;
    dropAnswers();
    setSession((before) => {
      if (before.status === 'out') return before;
      if (before.status === 'link') return { status: 'link', hasEnded: true };
      return { status: 'out', hasEnded: before.status === 'in' };
    });
  }, []);

  useEffect(() => {
    if (session.status !== 'loading') return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    renew().catch((error: unknown) => {
      if (isApiError(error) && ENDED.includes(error.code)) onFailure(error);
      else {
        const failure = failureOf(error);
        timer = setTimeout(() => setSession({ status: 'loading', failure }), RETRY_MS);
      }
    });
    return () => clearTimeout(timer);
  }, [session, renew, onFailure]);

  const signIn = useCallback(
    async ({ username, password, otp, remember }: SignInInput) => {
      await client.user.login({ body: { username, password, remember, ...(otp === undefined ? {} : { otp }) } });
      await renew();
    },
    [client, renew],
  );

  const signOut = useCallback(async () => {
    await client.user.logout();
    dropAnswers();
    setSession({ status: 'out', hasEnded: false });
  }, [client]);

  // A read-only link has no permission.
  const subject = session.status === 'in' ? subjectOf(session.me) : null;
  const can = useCallback((access: Access) => mayUse(subject, access), [session]);
  const handle = useMemo(
    () => ({ client, session, can, signIn, signOut, renew, onFailure }),
    [client, session, can, signIn, signOut, renew, onFailure],
  );
  return <SessionContext value={handle}>{children}</SessionContext>;
}
