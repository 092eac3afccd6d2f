// CORS for the origins that the operator lists (Fetch standard, section 3.2). Credentials are headers that a script
// sets itself, so the credentials mode is never allowed: a browser sends nothing on its own.

import { IGNORED_HEADER } from '@quarterdeck/core';
import type { Step } from '@quarterdeck/express/parts';
import { addVary } from '@quarterdeck/express/parts';
import type { RequestHandler } from 'express';

const METHODS = 'GET, POST, PUT, DELETE';
const ALLOWED = [
  'API-Token',
  'edge-token',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'traceparent',
  'Last-Event-ID',
  // Of Sentry's SDKs.
  'X-Sentry-Auth',
  // Of the Model Context Protocol.
  'Mcp-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
].join(', ');
const EXPOSED = [
  'X-Total-Count',
  'X-Request-Id',
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Sentry-Rate-Limits',
  'Deprecation',
  'Sunset',
  IGNORED_HEADER,
].join(', ');
/** Time for which a browser remembers a preflight. */
const MAX_AGE_S = 600;

/** Lets scripts of the listed origins read all answers, failures included. */
export function cors(origins: ReadonlySet<string>): Step {
  if (origins.size === 0) return () => {};
  return (req, res) => {
    addVary(res, 'Origin');
    const { origin } = req.headers;
    if (origin === undefined || !origins.has(origin)) return;
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', EXPOSED);
  };
}

/** Answers the preflight requests of the listed origins, for any path. */
export function preflight(origins: ReadonlySet<string>): RequestHandler {
  return (req, res, next) => {
    const { origin, 'access-control-request-method': method } = req.headers;
    if (req.method !== 'OPTIONS' || method === undefined || origin === undefined || !origins.has(origin)) return next();
    res.setHeader('Access-Control-Allow-Methods', METHODS);
    res.setHeader('Access-Control-Allow-Headers', ALLOWED);
    res.setHeader('Access-Control-Max-Age', MAX_AGE_S);
    addVary(res, 'Access-Control-Request-Method, Access-Control-Request-Headers');
    res.statusCode = 204;
    res.end();
  };
}
