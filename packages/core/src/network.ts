// Proxies and authorities of certificates of a process, as "@quarterdeck/core/network". Node only.

import type { Environment } from './environment.ts';
import { readProxies } from './proxy.ts';
import { readSmallFile, valueIn } from './small-file.ts';

export { isOwnHost, type Proxies, ProxyError, proxyFor, readProxies } from './proxy.ts';
export { createTunnelAgent, forwarded, moduleOf, openTunnel, requestVia } from './tunnel.ts';

/** Variable that names a file with further authorities of certificates. */
export const CA_FILE = 'QUARTERDECK_CA_FILE';

/** Names that go past every proxy of `fetch`. */
const OWN_HOST = ['localhost', '.localhost', '127.0.0.1', '::1', '[::1]'];

/**
 * Makes all TLS connections of this process trust these authorities, too. `source` names them in the error.
 *
 * @throws Error with one line where the text holds no certificate, or Node is too old
 */
export function trustAuthorities(pem: string, source: string): void {
  const tls = process.getBuiltinModule('node:tls');
  if (typeof tls.setDefaultCACertificates !== 'function') {
    throw new Error(`${source} needs Node 22.19 or newer, this is ${process.version}`);
  }
  const own = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (own.length === 0) throw new Error(`${source} has no certificate in PEM`);
  try {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...own]);
  } catch (cause) {
    throw new Error(`${source} has a certificate that cannot be read`, { cause });
  }
}

/**
 * Makes `fetch` use the proxies and the authorities that the environment names. `warn` gets a line where Node is too
 * old for proxies: the variables may be meant for other programs, and the server be reachable without one.
 *
 * @throws Error with one line for a variable or a file that cannot be used
 */
export function useNetwork(env: Environment, warn: (text: string) => void): void {
  const path = valueIn(env[CA_FILE] ?? '');
  if (path !== '') trustAuthorities(readAuthorities(path), CA_FILE);
  const proxies = readProxies(env);
  if (proxies === undefined) return;
  const { setGlobalProxyFromEnv } = process.getBuiltinModule('node:http');
  if (typeof setGlobalProxyFromEnv !== 'function') {
    warn(`HTTP_PROXY and HTTPS_PROXY are not used: they need Node 24.14 or newer, this is ${process.version}`);
    return;
  }
  // A name stands for its subdomains, as for curl.
  const past = proxies.past.flatMap((entry) => (/^[*.[]/.test(entry) ? [entry] : [entry, `.${entry}`]));
  setGlobalProxyFromEnv({
    NO_PROXY: [...OWN_HOST, ...past].join(','),
    ...(proxies.http && { HTTP_PROXY: proxies.http.href }),
    ...(proxies.https && { HTTPS_PROXY: proxies.https.href }),
  });
}

function readAuthorities(path: string): string {
  try {
    return readSmallFile(path);
  } catch (cause) {
    throw new Error(`${CA_FILE} names a file that cannot be read`, { cause });
  }
}
