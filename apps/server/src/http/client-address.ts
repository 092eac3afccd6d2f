// The address of the client behind trusted proxies. Pure: throttle, audit, sessions, tokens' blocks and logs get it by
// `addressOf` of caller.ts.
import type { IncomingHttpHeaders } from 'node:http';
import { addressWithin, plainAddress } from '../net/address-blocks.ts';
import { forwarded, type Hops, xForwardedFor } from './forwarded.ts';

/** Proxies that name their clients. */
export interface ProxySettings {
  /** Their addresses and blocks of addresses, separated by spaces; empty = none. */
  readonly trusted: string;
  /** The one header that is read. Proxies that append to it pass the other one through as the client sent it. */
  readonly header: 'x-forwarded-for' | 'forwarded';
}

const READERS: Readonly<Record<ProxySettings['header'], (value: string) => Hops>> = {
  'x-forwarded-for': xForwardedFor,
  forwarded,
};

/**
 * The right-most address that is not a trusted proxy's, or the farthest trusted one. An entry that cannot be read ends
 * the walk at the address before it. `peer` is the address of the socket; an unknown one gives empty text.
 */
export function clientAddress(
  peer: string | undefined,
  headers: IncomingHttpHeaders,
  { trusted, header }: ProxySettings,
): string {
  let address = plainAddress(peer ?? '') ?? '';
  if (trusted === '' || !addressWithin(address, trusted)) return address;
  // Node joins several lines of one name in their order.
  for (const hop of READERS[header](String(headers[header] ?? ''))) {
    if (hop === undefined) break;
    address = hop;
    if (!addressWithin(address, trusted)) break;
  }
  return address;
}
