// The official client's prefix: `/api/v1/<path>` is `/admin-api/<path>`, except that failures come as HTTP 200 with a
// non-zero `status`, because that client reads no body otherwise (wire contract section 8).
import type { Request, RequestHandler } from 'express';

const PREFIX = '/api/v1/';
const compatRequests = new WeakSet<Request>();

/** Whether a request came by the official client's prefix. */
export const isCompat = (req: Request): boolean => compatRequests.has(req);

/** Rewrites the official client's paths, and `/version`, to where they are answered. */
export const compat: RequestHandler = (req, _res, next) => {
  if (req.url.startsWith(PREFIX)) {
    compatRequests.add(req);
    req.url = `/admin-api/${req.url.slice(PREFIX.length)}`;
  } else if (/^\/version\/?$/.test(req.path)) {
    req.url = `/admin-api${req.url}`;
  }
  next();
};
