// The session: the signed-in user and their client. The client alone holds the credentials. A store outside React,
// because signing out outlives the screen.
import { hostname, userInfo } from 'node:os';
import type { Subject } from '@quarterdeck/core';
import {
  type Client,
  type ClientOptions,
  createClient,
  type Me,
  type ShownCode,
  type SignedIn,
  signIn,
  signInWithCode,
} from '@quarterdeck/sdk';
import { subjectOf } from '@quarterdeck/views/actions';
import { type Failure, failureOf } from '@quarterdeck/views/failures';
import { NOTHING_AHEAD, type ReadAhead } from '@quarterdeck/views/overview';
import { retryDelayMs } from '@quarterdeck/views/reads';
import { clean } from '@quarterdeck/views/text';

/** A signed-in user. */
export interface Account {
  readonly client: Client;
  readonly me: Me;
  /** `session`: stored by an earlier sign-in. `token`: an API token, which signing out does not end. */
  readonly how: 'password' | 'session' | 'token';
  /** Requests sent ahead of the screens that need them. */
  readonly ahead: ReadAhead;
}

export type SessionState =
  | { readonly status: 'connecting'; readonly failure: Failure | null }
  | { readonly status: 'signedOut'; readonly notice: string | null }
  | { readonly status: 'signedIn'; readonly account: Account }
  /** The credential is no longer valid. The screens are kept for the same user. */
  | { readonly status: 'expired'; readonly account: Account; readonly notice: string };

export interface SignInInput {
  readonly username: string;
  readonly password: string;
  /** Keeps the session for the next start, where there is a store. */
  readonly remember: boolean;
  /** Code of the second factor, or a recovery code. */
  readonly otp?: string | undefined;
}

/** The session of one dashboard. */
export interface Session {
  readonly state: () => SessionState;
  readonly subscribe: (watcher: () => void) => () => void;
  /** Signs in with the configured token, if there is one. Later calls do nothing. */
  readonly start: () => void;
  /** Resolves once the server has answered or failed to. */
  readonly settled: () => Promise<void>;
  /** Resolves with the failure, or null. */
  readonly signIn: (input: SignInInput) => Promise<Failure | null>;
  /** Signs in with a code that a person confirms in a browser. Resolves with the failure, or null. */
  readonly signInByCode: (onCode: (shown: ShownCode) => void, signal: AbortSignal) => Promise<Failure | null>;
  /** Handles a refused credential of `account`. Ignored if another account is signed in. */
  readonly expire: (account: Account, failure: Failure) => void;
  /** Reads the own user again, because permissions can change. */
  readonly renew: () => Promise<void>;
  /** Ends the session and removes it from the store. Takes at most `timeoutMs` and never fails. */
  readonly signOut: (timeoutMs: number) => Promise<void>;
  /** Leaves the server: signs out, unless the session is stored for the next start. */
  readonly leave: (timeoutMs: number) => Promise<void>;
  /** Stops waiting for the server. */
  readonly close: () => void;
}

export interface StoredSession {
  readonly secret: string;
  readonly username: string;
  /** Unix milliseconds. */
  readonly expire: number;
}

/** Keeps the session with one server for the next start. */
export interface SessionStore {
  /** Returns whether the session could be stored. */
  readonly keep: (session: StoredSession) => boolean;
  /** Removes the session with this secret. */
  readonly remove: (secret: string) => void;
}

export interface SessionOptions extends Pick<ClientOptions, 'url' | 'consoleUrl' | 'fetch' | 'onRequest'> {
  readonly apiToken?: string | undefined;
  /** Token of a stored session; an API token overrides it. */
  readonly sessionToken?: string | undefined;
  /** Absent: a session ends with the dashboard. */
  readonly store?: SessionStore | undefined;
  /** Sends requests as soon as the user of the token is known, before the screens are there. */
  readonly readAhead?: ((client: Client, subject: Subject) => ReadAhead) | undefined;
}

/** Creates a session without sending anything. */
export function createSession(parts: SessionOptions): Session {
  const { apiToken, sessionToken: startToken, store, readAhead, ...options } = parts;
  const common: ClientOptions = { ...options, userAgent: 'quarterdeck-tui' };
  const watchers = new Set<() => void>();
  const ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let attempts = 0;
  let isStarted = false;
  const isConfigured = apiToken !== undefined || startToken !== undefined;
  let state: SessionState = !isConfigured
    ? { status: 'signedOut', notice: null }
    : { status: 'connecting', failure: null };

  const setState = (next: SessionState): void => {
    state = next;
    for (const watcher of watchers) watcher();
  };

  // All sign-ins of this session share one client, so that an open form continues with the current credential.
  let sessionToken: string | undefined;
  const ownClient = createClient({ ...common, sessionToken: () => sessionToken });

  // The secret that is in the store.
  let stored = apiToken === undefined ? startToken : undefined;
  const removeStored = (): void => {
    if (stored !== undefined) store?.remove(stored);
    stored = undefined;
  };

  const accountOf = async (client: Client, how: Account['how']): Promise<Account> => {
    const me = await client.user.me({}, { signal: ended.signal });
    const ahead = how === 'password' ? undefined : readAhead?.(client, subjectOf(me));
    const shown = { ...me, username: clean(me.username), role: clean(me.role) };
    return { client, me: shown, how, ahead: ahead ?? NOTHING_AHEAD };
  };

  const noticeOf = ({ message }: Failure): string =>
    apiToken === undefined
      ? 'Your session has ended. Sign in again.'
      : `The configured API token was refused. ${message}`;

  const tryToken = (): void => {
    clearTimeout(timer);
    const how = apiToken === undefined ? 'session' : 'token';
    accountOf(createClient({ ...common, apiToken, sessionToken: startToken }), how).then(
      (account) => setState({ status: 'signedIn', account }),
      (error: unknown) => {
        if (ended.signal.aborted) return;
        const failure = failureOf(error);
        if (failure.kind === 'unauthorized') removeStored();
        if (failure.kind === 'unauthorized' || failure.kind === 'refused') {
          setState({ status: 'signedOut', notice: noticeOf(failure) });
          return;
        }
        setState({ status: 'connecting', failure });
        timer = setTimeout(tryToken, retryDelayMs(attempts++));
      },
    );
  };

  const signOut = async (timeoutMs: number): Promise<void> => {
    if (state.status !== 'signedIn' || state.account.how === 'token') return;
    const { client } = state.account;
    const ended = sessionToken;
    removeStored();
    setState({ status: 'signedOut', notice: null });
    await client.user.logout({}, { timeoutMs, retries: 0 }).catch(() => undefined);
    // The user may have signed in again meanwhile.
    if (sessionToken === ended) sessionToken = undefined;
  };

  /** Uses the session of a sign-in; returns the failure, or null. */
  const accept = async (remember: boolean, attempt: () => Promise<SignedIn>): Promise<Failure | null> => {
    try {
      const { login } = await attempt();
      const { 'edge-token': secret, username: name, expire } = login;
      sessionToken = secret;
      const account = await accountOf(ownClient, 'password');
      if (remember && store?.keep({ secret, username: name, expire }) === true) stored = secret;
      setState({ status: 'signedIn', account });
      return null;
    } catch (error) {
      return failureOf(error);
    }
  };

  return {
    state: () => state,
    subscribe(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    start() {
      if (!isConfigured || isStarted) return;
      isStarted = true;
      tryToken();
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
    signIn: ({ username, password, remember, otp }) =>
      accept(remember, () => signIn({ ...common, username, password, remember, otp, signal: ended.signal })),
    signInByCode: (onCode, signal) =>
      accept(false, () =>
        signInWithCode({
          ...common,
          name: `${userInfo().username}@${hostname()}`,
          onCode: ({ address, code, ...rest }) => onCode({ address: clean(address), code: clean(code), ...rest }),
          signal: AbortSignal.any([signal, ended.signal]),
        }),
      ),
    expire(account, failure) {
      if (state.status !== 'signedIn' || state.account !== account) return;
      // The server no longer knows an ended session and cannot say why it ended.
      removeStored();
      const isEnded = account.how !== 'token' && failure.code === 'credential_invalid';
      const notice = isEnded ? 'Your session has ended. Sign in again.' : failure.message;
      setState({ status: 'expired', account, notice });
    },
    async renew() {
      if (state.status !== 'signedIn') return;
      const { account } = state;
      const next = await accountOf(account.client, account.how);
      if (state.status === 'signedIn' && state.account === account) setState({ status: 'signedIn', account: next });
    },
    signOut,
    leave: async (timeoutMs) => (stored === undefined ? signOut(timeoutMs) : undefined),
    close() {
      clearTimeout(timer);
      ended.abort();
    },
  };
}
