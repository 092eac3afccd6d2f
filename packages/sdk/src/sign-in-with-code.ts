// Signs in with a code that a person confirms in a browser: for terminals without one, and for users without a
// password.
import { createClient, type QuarterdeckOptions } from './client.ts';
import { sleep, systemClock } from './request/clock.ts';
import { isApiError } from './request/errors.ts';
import type { SignedIn } from './sign-in.ts';

/** The code, and where a person types it. */
export interface ShownCode {
  /** Address to open in a browser. */
  readonly address: string;
  /** Such as `BCDF-GHJK`. */
  readonly code: string;
  /** Seconds for which the code can be used. */
  readonly expiresInS: number;
}

/** Options of {@link signInWithCode}, and options of the client. */
export interface CodeSignInOptions extends Omit<QuarterdeckOptions, 'apiToken' | 'sessionToken'> {
  /** Name of this terminal, which the page shows. */
  readonly name?: string | undefined;
  /** The session lasts as long as that of the browser, instead of 8 hours at most. */
  readonly remember?: boolean | undefined;
  /** Called once with the code. */
  readonly onCode: (shown: ShownCode) => void;
  /** Ends the sign-in. */
  readonly signal?: AbortSignal | undefined;
}

/** Seconds that a server adds to the interval when it answers `slow_down` (RFC 8628, section 3.5). */
const SLOWER_S = 5;

/**
 * Shows a code, waits until a person has confirmed it, and creates a client with the session.
 *
 * @throws ApiError `access_denied` where the person refused, `expired_token` where nobody confirmed it in time
 */
export async function signInWithCode(options: CodeSignInOptions): Promise<SignedIn> {
  const { name = '', remember = false, onCode, signal, ...clientOptions } = options;
  const { clock = systemClock } = clientOptions;
  const anonymous = createClient({ ...clientOptions, onUnauthorized: undefined });
  const asked = await anonymous.deviceLogin.start({ body: { name, remember } }, { signal });
  const { device_code: secret, user_code: code, verification_uri: uri } = asked;
  // A server that does not know its address names the path alone.
  const address = uri.startsWith('/') ? `${String(options.url).replace(/\/+$/, '')}${uri}` : uri;
  onCode({ address, code, expiresInS: asked.expires_in });
  let intervalS = asked.interval;
  for (;;) {
    await sleep(clock, intervalS * 1000, signal);
    try {
      const login = await anonymous.deviceLogin.token({ body: { device_code: secret } }, { signal });
      const sessionToken = login['edge-token'] ?? '';
      return {
        client: createClient({ ...clientOptions, sessionToken }),
        login: { ...login, 'edge-token': sessionToken, token: sessionToken },
      };
    } catch (error) {
      if (!isApiError(error)) throw error;
      if (error.code === 'slow_down') intervalS += SLOWER_S;
      else if (error.code !== 'authorization_pending') throw error;
    }
  }
}
