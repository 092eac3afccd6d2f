// Reads the credential of a request from its headers (wire contract sections 2 and 12).
import type { IncomingHttpHeaders } from 'node:http';
import { AppError, type CredentialKind, SECRET_PATTERN, type SecretKind, secretKind } from '@quarterdeck/core';
import { readSessionCookie } from './session-cookie.ts';

/** The credential of a request. */
export interface Credential {
  readonly kind: CredentialKind;
  readonly secret: string;
}

/** Headers in order of precedence, with the kinds of secret each may bring. */
const HEADERS: readonly { name: string; kinds: readonly CredentialKind[]; scheme?: RegExp }[] = [
  { name: 'api-token', kinds: ['api_token', 'agent', 'enrollment'] },
  { name: 'edge-token', kinds: ['session'] },
  { name: 'auth', kinds: ['session'] },
  { name: 'authorization', kinds: ['api_token', 'session', 'agent', 'enrollment'], scheme: /^Bearer +/i },
];

/** Joins the credential headers to one text, which is equal for requests with the same credentials. */
export const credentialText = (headers: IncomingHttpHeaders): string =>
  [...HEADERS.map(({ name }) => headers[name] ?? ''), readSessionCookie(headers) ?? ''].join('\n');

/** Reports whether the credential of a request is its session cookie: one in a header wins over it. */
export const isCookieSession = (headers: IncomingHttpHeaders): boolean =>
  readSessionCookie(headers) !== undefined && HEADERS.every(({ name }) => (headers[name] ?? '') === '');

/** The credential headers of a request, for another request in the name of its caller. */
export function credentialHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  if (isCookieSession(headers)) return { 'edge-token': readSessionCookie(headers) ?? '' };
  return Object.fromEntries(
    HEADERS.flatMap(({ name }) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}

/** Reads the kind of a secret by its form; undefined for foreign text. It does not check the checksum. */
const kindByForm = (secret: string): SecretKind | undefined =>
  SECRET_PATTERN.test(secret) ? secretKind(secret) : undefined;

/**
 * Returns the credential of a request; null where it brings none.
 *
 * @throws AppError `credential_invalid` for text that is no secret, or one of a kind that its header does not take
 */
export function readCredential(headers: IncomingHttpHeaders, kindOf = kindByForm): Credential | null {
  for (const { name, kinds, scheme } of HEADERS) {
    const value = headers[name];
    // An empty header is the same as an absent one, as everywhere on this wire.
    if (typeof value !== 'string' || value === '') continue;
    const secret = scheme === undefined ? value : scheme.test(value) ? value.replace(scheme, '') : '';
    const found = kindOf(secret);
    const kind = kinds.find((one) => one === found);
    if (kind === undefined) throw new AppError('credential_invalid');
    return { kind, secret };
  }
  // A cookie comes with requests that did not mean it, so a credential that a caller gives wins.
  const secret = readSessionCookie(headers);
  if (secret === undefined) return null;
  if (kindOf(secret) !== 'session') throw new AppError('credential_invalid');
  return { kind: 'session', secret };
}
