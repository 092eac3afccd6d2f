// Who is at the dashboard, and the client that speaks for them. The only holder of credentials: they are inside the
// client and nowhere else. A store outside React, because signing out outlives the screen.
import type { Subject } from '@quarterdeck/core';
import { type Client, type ClientOptions, createClient, type Me, signIn } from '@quarterdeck/sdk';
import { clean } from '../text/clean.ts';
import { NOTHING_AHEAD, type ReadAhead } from './ahead.ts';
import { type Failure, failureOf } from './failure.ts';
import { retryDelayMs } from './query.ts';

/** A caller the server knows. */
export interface Account {
  readonly client: Client;
  readonly me: Me;
  /** `token`: from the configuration, not ours to end. */
  readonly how: 'password' | 'token';
  /** What was asked for already, for whoever needs it first. */
  readonly ahead: ReadAhead;
}

/** Where the session stands. */
export type SessionState =
  | { readonly status: 'connecting'; readonly failure: Failure | null }
  | { readonly status: 'signedOut'; readonly notice: string | null }
  | { readonly status: 'signedIn'; readonly account: Account }
  /** The credential is no longer good; what is on the screens is kept for the same user. */
  | { readonly status: 'expired'; readonly account: Account; readonly notice: string };

/** What a person enters to sign in. */
export interface SignInInput {
  readonly username: string;
  readonly password: string;
  readonly remember: boolean;
  /** Code of the second factor, or a recovery code. */
  readonly otp?: string | undefined;
}

/** The session of one dashboard. */
export interface Session {
  readonly state: () => SessionState;
  readonly subscribe: (watcher: () => void) => () => void;
  /** Uses the configured token, if there is one; otherwise, and the second time, there is nothing to do. */
  readonly start: () => void;
  /** Resolves once the server has answered, or has not: whatever is shown from then on is not about to change. */
  readonly settled: () => Promise<void>;
  /** Resolves with what went wrong, or null. */
  readonly signIn: (input: SignInInput) => Promise<Failure | null>;
  /** The server refused this account's credential. Ignored for any but the present account. */
  readonly expire: (account: Account, failure: Failure) => void;
  /** Asks anew who this is: what the own account may do can change. */
  readonly renew: () => Promise<void>;
  /** Ends a session that a password began; never takes longer than `timeoutMs`, never fails. */
  readonly signOut: (timeoutMs: number) => Promise<void>;
  /** Stops waiting for the server. */
  readonly close: () => void;
}

/** What {@link createSession} takes. */
export interface SessionOptions extends Pick<ClientOptions, 'url' | 'consoleUrl' | 'fetch' | 'onRequest'> {
  readonly token?: string | undefined;
  /** What to ask for as soon as it is known who this is, with the token: before anything can be shown of it. */
  readonly readAhead?: ((client: Client, subject: Subject) => ReadAhead) | undefined;
}

/** The caller as `can` of core wants to know them. */
export const subjectOf = (account: Pick<Account, 'me'>): Subject => ({
  kind: 'user',
  permissions: account.me.permissions,
  credential: account.me.credential,
});

/** Makes a session; sends nothing yet. */
export function createSession({ token, readAhead, ...options }: SessionOptions): Session {
  const common: ClientOptions = { ...options, userAgent: 'quarterdeck-tui' };
  const watchers = new Set<() => void>();
  const ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let attempts = 0;
  let isStarted = false;
  let state: SessionState =
    token === undefined ? { status: 'signedOut', notice: null } : { status: 'connecting', failure: null };

  const become = (next: SessionState): void => {
    state = next;
    for (const watcher of watchers) watcher();
  };

  // One client for all sign-ins of this session: what was opened with it, a half-filled form for example, goes on with
  // whatever credential is good now.
  let sessionToken: string | undefined;
  const ownClient = createClient({ ...common, sessionToken: () => sessionToken });

  const accountOf = async (client: Client, how: Account['how']): Promise<Account> => {
    const me = await client.user.me({}, { signal: ended.signal });
    const ahead = how === 'token' ? readAhead?.(client, subjectOf({ me })) : undefined;
    const shown = { ...me, username: clean(me.username), role: clean(me.role) };
    return { client, me: shown, how, ahead: ahead ?? NOTHING_AHEAD };
  };

  const tryToken = (apiToken: string): void => {
    clearTimeout(timer);
    accountOf(createClient({ ...common, apiToken }), 'token').then(
      (account) => become({ status: 'signedIn', account }),
      (error: unknown) => {
        if (ended.signal.aborted) return;
        const failure = failureOf(error);
        if (failure.kind === 'unauthorized' || failure.kind === 'refused') {
          become({ status: 'signedOut', notice: `The configured API token was refused. ${failure.message}` });
          return;
        }
        become({ status: 'connecting', failure });
        timer = setTimeout(() => tryToken(apiToken), retryDelayMs(attempts++));
      },
    );
  };

  return {
    state: () => state,
    subscribe(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    start() {
      if (token === undefined || isStarted) return;
      isStarted = true;
      tryToken(token);
    },
    async settled() {
      while (state.status === 'connecting' && state.failure === null) {
        await new Promise<void>((resolve) => {
          const watcher = (): void => {
            watchers.delete(watcher);
            resolve();
          };
          watchers.add(watcher);
        });
      }
    },
    async signIn({ username, password, remember, otp }) {
      try {
        const { login } = await signIn({ ...common, username, password, remember, otp, signal: ended.signal });
        sessionToken = login['edge-token'];
        become({ status: 'signedIn', account: await accountOf(ownClient, 'password') });
        return null;
      } catch (error) {
        return failureOf(error);
      }
    },
    expire(account, failure) {
      if (state.status !== 'signedIn' || state.account !== account) return;
      // The server does not know a session any more that was ended, and cannot say what it was.
      const isEnded = account.how === 'password' && failure.code === 'credential_invalid';
      const notice = isEnded ? 'Your session has ended. Sign in again.' : failure.message;
      become({ status: 'expired', account, notice });
    },
    async renew() {
      if (state.status !== 'signedIn') return;
      const { account } = state;
      const next = await accountOf(account.client, account.how);
      if (state.status === 'signedIn' && state.account === account) become({ status: 'signedIn', account: next });
    },
    async signOut(timeoutMs) {
      if (state.status !== 'signedIn' || state.account.how !== 'password') return;
      const { client } = state.account;
      const ended = sessionToken;
      become({ status: 'signedOut', notice: null });
      await client.user.logout({}, { timeoutMs, retries: 0 }).catch(() => undefined);
      // Somebody may have signed in meanwhile.
      if (sessionToken === ended) sessionToken = undefined;
    },
    close() {
      clearTimeout(timer);
      ended.abort();
    },
  };
}
