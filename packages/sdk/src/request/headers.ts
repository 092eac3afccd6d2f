// Headers that a caller adds to requests.

/** Options of a call that are headers of its requests. */
export interface HeaderOptions {
  /** Added to the request. Credentials have their own options: their headers are refused here. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Sent as `Idempotency-Key`: the server stores repetitions once, so the call is retried whatever its method. Only for
   * endpoints whose documentation names the header.
   */
  readonly idempotencyKey?: string | undefined;
  /** Sent as `traceparent` (W3C Trace Context): continues the caller's trace. */
  readonly traceparent?: string | undefined;
}

/** Headers of credentials, and the options that they come from. */
const CREDENTIAL_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['api-token', 'apiToken or sessionToken'],
  ['edge-token', 'apiToken or sessionToken'],
  ['quarterdeck-link', 'linkKey'],
  ['quarterdeck-session', 'session'],
]);

/**
 * Returns the headers of a call, with names in lower case.
 *
 * @throws TypeError for a header that cannot be sent, without repeating its value
 */
export function headersOf({ headers = {}, idempotencyKey, traceparent }: HeaderOptions): Record<string, string> {
  if (idempotencyKey !== undefined) checkHeader(idempotencyKey, 'idempotencyKey');
  if (traceparent !== undefined) checkHeader(traceparent, 'traceparent');
  return {
    ...checkedHeaders(headers),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/**
 * Returns these headers with names in lower case, because two spellings of a name would be sent as one list.
 *
 * @throws TypeError for a header that cannot be sent, without repeating its value
 */
export function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([written, value]) => {
      const name = written.toLowerCase();
      if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw new TypeError('headers has a name that is no HTTP header');
      const option = CREDENTIAL_OPTIONS.get(name);
      if (option !== undefined) throw new TypeError(`headers.${written}: use ${option}`);
      checkHeader(value, `headers.${written}`);
      return [name, value];
    }),
  );
}

/** Headers that carry credentials, ours and those for a proxy on the way. */
const SECRET_HEADERS = /^(?:api-token|edge-token|quarterdeck-link|authorization|proxy-authorization|cookie)$/i;

/** Returns the secrets in headers: each value, and the part behind the scheme of an `Authorization`. */
export const secretsOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers)
    .filter(([name]) => SECRET_HEADERS.test(name))
    .flatMap(([, value]) => [value, value.replace(/^\S+ +/, '')]);

/** Reports an invalid header value without repeating it; the runtime's own error would. */
export function checkHeader(value: string, option: string): void {
  if (!/^[\x20-\x7e]*$/.test(value) || value.trim() !== value) {
    throw new TypeError(`${option} has a character that an HTTP header cannot carry (a line break at its end?)`);
  }
}
