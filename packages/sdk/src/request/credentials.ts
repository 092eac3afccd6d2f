// Credentials of requests: given as values or by functions, and renewed when the server refuses them.
import { isPending, type MaybePromise } from './abort.ts';
import type { ApiError } from './errors.ts';
import { checkHeader } from './headers.ts';

/**
 * A credential, or a function that returns it for each request; undefined and '' mean none. Requests that begin while a
 * promise of the function is pending wait for that one.
 */
export type CredentialOption = string | (() => MaybePromise<string | undefined>) | undefined;

/** Options of a client about its credentials. */
export interface CredentialOptions {
  /** Sent as `API-Token`. Overrides `sessionToken`, as on the server. */
  readonly apiToken?: CredentialOption;
  /** Sent as `edge-token`. */
  readonly sessionToken?: CredentialOption;
  /** Key of a read-only link to one alert or error; sent as `Quarterdeck-Link`. The other credentials override it. */
  readonly linkKey?: CredentialOption;
  /**
   * Called when the server refuses the credential of a request: it is missing, invalid or expired. The returned
   * credential replaces the refused one, and the request is sent once more. With undefined the refusal stands, and an
   * error of the function rejects the call. Requests refused together share one call. It must not use this client,
   * whose requests would wait for it.
   */
  readonly onUnauthorized?: ((refusal: ApiError) => MaybePromise<string | undefined>) | undefined;
}

type CredentialHeader = 'API-Token' | 'edge-token' | 'Quarterdeck-Link';

/** Credential of one request. */
export interface Credential {
  readonly header: CredentialHeader;
  readonly secret: string;
  /** Credential of the options that it stands for; '' without one. */
  readonly given: string;
}

/** Credentials of a client. */
export interface Credentials {
  /** Returns the credential for a request; a promise only where a function of the caller does. */
  read(): MaybePromise<Credential | undefined>;
  /** Gets a credential in place of a refused one. Resolves with false when there is none. */
  renew(refused: Credential | undefined, refusal: ApiError): Promise<boolean>;
}

const OPTIONS = [
  ['apiToken', 'API-Token'],
  ['sessionToken', 'edge-token'],
  ['linkKey', 'Quarterdeck-Link'],
] as const;

/**
 * Creates the credentials of a client.
 *
 * @throws TypeError for a credential given as text that no header can carry, without repeating it
 */
export function createCredentials(options: CredentialOptions): Credentials {
  const sources = OPTIONS.map(([option, header]) => {
    const source = options[option];
    // Checks a credential given as text now, one from a function at each request.
    if (typeof source === 'string') checkHeader(source, option);
    return { option, header, read: typeof source === 'function' ? sharePending(source) : () => source };
  });
  const { onUnauthorized } = options;
  let renewed: Credential | undefined;
  const renewal = sharePending(async (refusal: ApiError) => onUnauthorized?.(refusal));

  const readFrom = (index: number): MaybePromise<Credential | undefined> => {
    const source = sources[index];
    if (source === undefined) return renewed?.given === '' ? renewed : undefined;
    const { option, header } = source;
    const use = (given: string | undefined): MaybePromise<Credential | undefined> => {
      if (given === undefined || given === '') return readFrom(index + 1);
      if (renewed?.given === given) return renewed;
      checkHeader(given, option);
      return { header, secret: given, given };
    };
    const given = source.read();
    return isPending(given) ? given.then(use) : use(given);
  };

  return {
    read: () => readFrom(0),
    async renew(refused, refusal) {
      const given = refused?.given ?? '';
      // Another request has renewed the credential while this one was on its way.
      if (renewed?.given === given && renewed.secret !== refused?.secret) return true;
      const secret = await renewal(refusal);
      if (secret === undefined || secret === '') return false;
      checkHeader(secret, 'the credential of onUnauthorized');
      renewed = { header: headerOf(secret, refused), secret, given };
      return true;
    },
  };
}

/** The prefix of a secret names its kind; any other credential is of the kind of the refused one. */
function headerOf(secret: string, refused: Credential | undefined): CredentialHeader {
  if (secret.startsWith('qd_s_')) return 'edge-token';
  return secret.startsWith('qd_') ? 'API-Token' : (refused?.header ?? 'API-Token');
}

/** Makes calls that come while a promise of the function is pending return that promise. */
function sharePending<A extends unknown[], T>(call: (...args: A) => MaybePromise<T>): (...args: A) => MaybePromise<T> {
  let pending: Promise<T> | undefined;
  return (...args) => {
    if (pending !== undefined) return pending;
    const value = call(...args);
    if (!isPending(value)) return value;
    pending = Promise.resolve(value).finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
