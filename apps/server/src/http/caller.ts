// What a request says of where it comes from. One place, for the pipeline, the event stream and the last use alike.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { CallContext } from '../deps.ts';
import type { Incoming } from './steps.ts';

const CLIENT_MAX = 200;

/** Address of the caller. */
export const addressOf = (req: IncomingMessage): string => req.socket.remoteAddress ?? '';

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
