// The official client's prefix: `/api/v1/<path>` is `/admin-api/<path>`, except that failures come as HTTP 200 with a
// non-zero `status`, because that client reads no body otherwise (wire contract section 8).
import type { IncomingMessage } from 'node:http';
import { pathOf, type Step } from '@quarterdeck/express/parts';

const PREFIX = '/api/v1/';
const compatRequests = new WeakSet<IncomingMessage>();

/** True for a request with the official client's prefix. */
export const isCompat = (req: IncomingMessage): boolean => compatRequests.has(req);

/** Rewrites the official client's paths, and `/version`, to the paths of this API. */
export const compat: Step = (req) => {
  const { url = '' } = req;
  if (url.startsWith(PREFIX)) {
    compatRequests.add(req);
    req.url = `/admin-api/${url.slice(PREFIX.length)}`;
  } else if (/^\/version\/?$/.test(pathOf(req))) {
    req.url = `/admin-api${url}`;
  }
};
