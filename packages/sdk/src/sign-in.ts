// Signs in with a username and a password.
import type { LoginResult } from '@quarterdeck/core';
import { type Client, createClient } from './client.ts';
import type { ClientOptions } from './transport.ts';

/** Credentials, and options of the client. */
export interface SignInOptions extends Omit<ClientOptions, 'apiToken' | 'sessionToken'> {
  readonly username: string;
  readonly password: string;
  /** The session lasts 31 days instead of 8 hours. */
  readonly remember?: boolean | undefined;
  /** One-time password, for accounts with two-factor authentication. */
  readonly otp?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A client with its session. `login` holds the session token: keep it out of logs. */
export interface SignedIn {
  readonly client: Client;
  readonly login: LoginResult;
}

/**
 * Signs in and creates a client with the session. The session ends at `login.expire` (Unix ms) or with
 * `client.user.logout()`.
 *
 * @throws ApiError `login_failed`, or `otp_required`: ask for the one-time password and sign in again with `otp`
 */
export async function signIn(options: SignInOptions): Promise<SignedIn> {
  const { username, password, remember, otp, signal, ...clientOptions } = options;
  const body = {
    username,
    password,
    ...(remember === undefined ? {} : { remember }),
    ...(otp === undefined ? {} : { otp }),
  };
  const login = await createClient(clientOptions).user.login({ body }, { signal });
  return { client: createClient({ ...clientOptions, sessionToken: login['edge-token'] }), login };
}
