// The origin of a request: address, client and idempotency key, in one place for every route.
import type { IncomingHttpHeaders } from 'node:http';
import { BATCH_HEADER } from '@quarterdeck/core';
import type { Incoming, Step } from '@quarterdeck/express/parts';
import type { CallContext } from '../features/call-context.ts';
import { clientAddress, type ProxySettings } from './client-address.ts';

const CLIENT_MAX = 200;

declare global {
  namespace Express {
    interface Request {
      /** Set before anything can fail. */
      id: string;
      /** Set with the id; see {@link addressOf}. */
      address: string;
    }
  }
}

/** Sets each request's address while its connection is open: a closed one has no address. */
export const findAddress =
  (proxies: ProxySettings): Step =>
  (req) => {
    req.address = clientAddress(req.socket.remoteAddress, req.headers, proxies);
  };

/** Address of the caller: of the client behind trusted proxies, else of the socket. Mapped IPv4 reads as IPv4. */
export const addressOf = (req: Pick<Incoming, 'address'>): string => req.address;

/** `User-Agent` of the caller, truncated. */
export const clientOf = (headers: IncomingHttpHeaders): string => (headers['user-agent'] ?? '').slice(0, CLIENT_MAX);

/** `Idempotency-Key` of a request, as the client sent it. */
export const keyOf = (headers: IncomingHttpHeaders): string | undefined => firstOf(headers, 'idempotency-key');

const firstOf = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
};

/** The request as services see it. */
export const callerOf = (req: Incoming): CallContext['request'] => ({
  id: req.id,
  address: addressOf(req),
  client: clientOf(req.headers),
  idempotencyKey: keyOf(req.headers),
  batchNumbers: firstOf(req.headers, BATCH_HEADER),
});
