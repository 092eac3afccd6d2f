// Finds the address of the client behind trusted proxies. The rest of the server gets it from `addressOf` in caller.ts.
import type { IncomingHttpHeaders } from 'node:http';
import { addressWithin, plainAddress } from '@quarterdeck/core/addresses';
import { forwarded, type Hops, xForwardedFor } from './forwarded.ts';

/** Proxies whose header names the client. */
export interface ProxySettings {
  /** Their addresses and blocks of addresses, separated by spaces; empty = none. */
  readonly trusted: string;
  /** The only header that is read. Proxies pass the other one through as the client sent it. */
  readonly header: 'x-forwarded-for' | 'forwarded';
}

const READERS: Readonly<Record<ProxySettings['header'], (value: string) => Hops>> = {
  'x-forwarded-for': xForwardedFor,
  forwarded,
};

/**
 * Returns the right-most address that is not a trusted proxy's, or the farthest trusted one. A malformed entry ends the
 * search at the address before it. `peer` is the address of the socket; empty text where it is unknown.
 */
export function clientAddress(
  peer: string | undefined,
  headers: IncomingHttpHeaders,
  { trusted, header }: ProxySettings,
): string {
  let address = plainAddress(peer ?? '') ?? '';
  if (trusted === '' || !addressWithin(address, trusted)) return address;
  // Node joins several headers of one name in their order.
  for (const hop of READERS[header](String(headers[header] ?? ''))) {
    if (hop === undefined) break;
    address = hop;
    if (!addressWithin(address, trusted)) break;
  }
  return address;
}
