// Issuers of OpenID Connect: of the providers that people sign in with, and of the jobs that exchange an id token.

/** True for the address of an own host, such as `http://127.0.0.1:8080`. */
const isOwnHost = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/**
 * Tells whether a text can be an issuer: an `https:` address without user, query and fragment (OpenID Connect
 * Discovery 1.0, section 3). `http:` is for the own host only: nobody can change what it sends on the way.
 */
export function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /[?#@\s\\]/.test(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isOwnHost(hostname));
}
