// Signs in with a username and a password, and again when the session has ended.

import { type Client, createClient, type QuarterdeckOptions } from './client.ts';
import type { LoginResult } from './generated/nouns.ts';
import { type MaybePromise, unlessAborted } from './request/abort.ts';
import { isApiError } from './request/errors.ts';

/** A text, or a function that returns it for each sign-in. */
type TextOption = string | (() => MaybePromise<string>);

/** The result of a sign-in with its token, which only a session in a cookie lacks. */
type TokenLogin = LoginResult & { readonly 'edge-token': string; readonly token: string };

/** Credentials, and options of the client. */
export interface SignInOptions extends Omit<QuarterdeckOptions, 'apiToken' | 'sessionToken'> {
  readonly username: string;
  readonly password: TextOption;
  /** The session lasts 31 days instead of 8 hours. */
  readonly remember?: boolean | undefined;
  /** One-time password, for accounts with two-factor authentication. With `renew` a function, because it works once. */
  readonly otp?: TextOption | undefined;
  /**
   * Signs in again when the server refuses the session, and repeats the refused request. Replaces `onUnauthorized`. A
   * password that the server refused is not sent again, because that would lock the account.
   */
  readonly renew?: boolean | undefined;
  /** Ends the first sign-in. */
  readonly signal?: AbortSignal | undefined;
}

/** A client with its session. `login` holds the session token: keep it out of logs. */
export interface SignedIn {
  readonly client: Client;
  /** The present session: with `renew`, that of the latest sign-in. */
  readonly login: TokenLogin;
}

/**
 * Signs in and creates a client with the session. The session ends at `login.expire` (Unix ms) or with
 * `client.user.logout()`, or when nobody uses it for as long as the server is set to wait.
 *
 * @throws ApiError `login_failed`, or `otp_required`: ask for the one-time password and sign in again with `otp`
 */
export async function signIn(options: SignInOptions): Promise<SignedIn> {
  const { username, password, remember, otp, signal, renew = false, ...clientOptions } = options;
  const anonymous = createClient({ ...clientOptions, onUnauthorized: undefined });
  let refused: { readonly attempt: string; readonly refusal: unknown } | undefined;

  const attemptLogin = async (ending?: AbortSignal): Promise<TokenLogin> => {
    const body = {
      username,
      password: await secretOf(password),
      ...(remember === undefined ? {} : { remember }),
      ...(otp === undefined ? {} : { otp: await secretOf(otp) }),
    };
    const attempt = JSON.stringify(body);
    if (refused?.attempt === attempt) throw refused.refusal;
    try {
      return (await anonymous.user.login({ body }, { signal: ending })) as TokenLogin;
    } catch (refusal) {
      if (isApiError(refusal) && refusal.status === 401) refused = { attempt, refusal };
      throw refusal;
    }
  };

  let login = await unlessAborted(attemptLogin(signal), signal);
  const sessionToken = login['edge-token'];
  const onUnauthorized = async (): Promise<string> => {
    login = await attemptLogin();
    return login['edge-token'];
  };
  const client = createClient({ ...clientOptions, sessionToken, ...(renew ? { onUnauthorized } : {}) });
  return {
    client,
    get login() {
      return login;
    },
  };
}

const secretOf = async (option: TextOption): Promise<string> => (typeof option === 'function' ? option() : option);
