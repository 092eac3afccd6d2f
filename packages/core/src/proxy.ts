// The proxies of HTTP_PROXY, HTTPS_PROXY and NO_PROXY, for all programs alike. Node only.
import type { Environment } from './environment.ts';
import { valueIn } from './small-text.ts';

/** Proxies by the protocol of the target, and what goes past them. Connections to the own host always do. */
export interface Proxies {
  readonly http: URL | undefined;
  readonly https: URL | undefined;
  readonly past: readonly string[];
}

/** Names and addresses of the own host. */
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|::1|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}|0\.0\.0\.0|::)$/;

/** True for a name or an address of the own host. */
export const isOwnHost = (host: string): boolean => LOOPBACK.test(host);

/** A proxy variable that cannot be used. The message repeats no password. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

const read = (env: Environment, name: string): string => valueIn(env[name.toLowerCase()] || env[name] || '').trim();

function readProxy(env: Environment, name: string): URL | undefined {
  const value = read(env, name);
  if (value === '') return undefined;
  const text = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new ProxyError(`${name} is not the http:// or https:// address of a proxy`);
}

/**
 * Reads the variables; lower case wins, as for curl.
 *
 * @throws ProxyError for a variable that is no address of a proxy
 */
export function readProxies(env: Environment): Proxies | undefined {
  const past = read(env, 'NO_PROXY')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const [http, https] = [readProxy(env, 'HTTP_PROXY'), readProxy(env, 'HTTPS_PROXY')];
  return (http ?? https) === undefined ? undefined : { http, https, past };
}

/** Finds the proxy for an address; undefined for none. */
export function proxyFor(proxies: Proxies | undefined, { protocol, hostname, port }: URL): URL | undefined {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (proxies === undefined || isOwnHost(host)) return undefined;
  const [proxy, usual] = protocol === 'https:' ? [proxies.https, '443'] : [proxies.http, '80'];
  const isPast = proxies.past.some((entry) => {
    // A port may follow a name or an address in brackets.
    const [, name = entry, own] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    if (own !== undefined && own !== (port || usual)) return false;
    const bare = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
    return bare === '*' || host === bare || host.endsWith(`.${bare}`);
  });
  return isPast ? undefined : proxy;
}

/** Header that signs in at a proxy; undefined without a user in its address. */
export const proxyAuthorization = ({ username, password }: URL): string | undefined =>
  username === ''
    ? undefined
    : `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;
