// A `fetch` for providers of identities: it connects to allowed addresses alone, follows no redirect, and bounds the
// time and the size of an answer.
import type { Proxies } from '@quarterdeck/core/network';
import { VERSION } from '../process/version.ts';
import { type AddressRules, allowedAddresses, hostOf, resolveName } from './allowed-address.ts';
import { exchange } from './exchange.ts';

/** Rules of a {@link CheckedFetch}. */
export interface CheckedFetchOptions extends Partial<Pick<AddressRules, 'resolve'>>, Omit<AddressRules, 'resolve'> {
  readonly proxies?: Proxies | undefined;
  readonly timeoutMs?: number;
}

/** Parts of a request that the clients of providers set. */
interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request. Rejects where there is no whole answer. */
export type CheckedFetch = (url: string, init?: Init) => Promise<Response>;

/** Blocks that allow every address, for targets that the settings of the server name. */
export const ANY_ADDRESS = '0.0.0.0/0 ::/0';

const TIMEOUT_MS = 10_000;
/** Bytes of an answer; the keys of an issuer are 2 to 30 KB. */
const ANSWER_MAX = 512 * 1024;
const USER_AGENT = `Quarterdeck/${VERSION}`;
/** Statuses of an answer that cannot have a body. */
const WITHOUT_BODY = [101, 103, 204, 205, 304];

/** Creates a {@link CheckedFetch}. */
export function createCheckedFetch(options: CheckedFetchOptions): CheckedFetch {
  const { allow, setting, proxies, resolve = resolveName, timeoutMs = TIMEOUT_MS } = options;
  return async (address, { method = 'GET', headers = {}, body, signal } = {}) => {
    const url = new URL(address);
    const timeout = AbortSignal.timeout(timeoutMs);
    const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    const text = body === undefined || body === null ? undefined : String(body);
    const addresses = await allowedAddresses(hostOf(url), { resolve, allow, setting }, ended);
    const request = { method, url, headers, body: text };
    const answer = await exchange(request, addresses, { userAgent: USER_AGENT, maxBytes: ANSWER_MAX, proxies }, ended);
    if (answer.isCut) throw new Error(`The answer of ${url.host} is too large or broke off.`);
    const shown = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined) shown.set(name, Array.isArray(value) ? value.join(', ') : value);
    }
    const { status } = answer;
    return new Response(WITHOUT_BODY.includes(status) ? null : new Uint8Array(answer.body), { status, headers: shown });
  };
}
