// What a request says of where it comes from. One place, for the pipeline, the event stream and the last use alike.
import type { IncomingHttpHeaders } from 'node:http';
import type { CallContext } from '../call-context.ts';
import { clientAddress, type ProxySettings } from './client-address.ts';
import type { Incoming, Step } from './steps.ts';

const CLIENT_MAX = 200;

declare global {
  namespace Express {
    interface Request {
      /** Set with the id; see {@link addressOf}. */
      address: string;
    }
  }
}

/** Finds out each request's address while its connection is open: one that has ended has none any more. */
export const findAddress =
  (proxies: ProxySettings): Step =>
  (req) => {
    req.address = clientAddress(req.socket.remoteAddress, req.headers, proxies);
  };

/** Address of the caller: of the client behind trusted proxies, else of the socket. IPv4 where it is one. */
export const addressOf = (req: Pick<Incoming, 'address'>): string => req.address;

/** `User-Agent` of the caller, cut short. */
export const clientOf = (headers: IncomingHttpHeaders): string => (headers['user-agent'] ?? '').slice(0, CLIENT_MAX);

/** `Idempotency-Key` of a request, as it came. */
export const keyOf = (headers: IncomingHttpHeaders): string | undefined => {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : key?.[0];
};
/** What a service is told of the request. */
export const callerOf = (req: Incoming): CallContext['request'] => ({
  id: req.id,
  address: addressOf(req),
  client: clientOf(req.headers),
  idempotencyKey: keyOf(req.headers),
});
