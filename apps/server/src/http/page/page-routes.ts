// The page for browsers: its addresses answer with index.html, which everybody may load, because it has no data.
// Programs get the failure of an unknown path, as for any other address.
import type { ServerResponse } from 'node:http';
import { AppError } from '@quarterdeck/core';
import { addVary, refuseMethod, setHead } from '@quarterdeck/express/parts';
import { type Request, type Response, Router } from 'express';
import type { PageFiles } from './page-files.ts';
import { rootOf } from './text-page.ts';

/** Addresses of the page beside `/`, in the form of Express. */
export const PAGE_PATHS = [
  '/a/*rest',
  '/e',
  '/e/*rest',
  '/lines',
  '/h',
  '/h/*rest',
  '/changes',
  '/tokens',
  '/account',
  '/sign-in',
  '/device',
] as const;

export const ASSETS_PATH = '/assets/:name';

/** The page loads only its own files, talks only to its own server, and is shown in no other page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const PAGE_HEADERS = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
  'Referrer-Policy': 'no-referrer',
} as const;

const YEAR_S = 365 * 24 * 3600;

/** Reports whether a request is that of a browser for a page. A client that takes anything is a program. */
export function wantsPage(req: Request, res: ServerResponse): boolean {
  addVary(res, 'Accept');
  return req.accepts(['json', 'html']) === 'html';
}

/** Sends index.html. */
export function sendPage({ index }: PageFiles, req: Request, res: Response): void {
  const { bytes, etag } = index(rootOf(req));
  setHead(res, 200, 'text/html; charset=utf-8');
  for (const [name, value] of Object.entries(PAGE_HEADERS)) res.setHeader(name, value);
  res.setHeader('ETag', etag);
  if (req.headers['if-none-match']?.includes(etag)) {
    res.statusCode = 304;
    res.end();
    return;
  }
  sendBytes(req, res, bytes);
}

/** Routes of the page, without `/`. */
export function pageRoutes(page: PageFiles): Router {
  const router = Router({ caseSensitive: true });
  for (const path of PAGE_PATHS) {
    router
      .route(path)
      .get((req, res) => {
        if (!wantsPage(req, res)) throw new AppError('unknown_path');
        sendPage(page, req, res);
      })
      .all(refuseMethod(['GET']));
  }
  router
    .route(ASSETS_PATH)
    .get((req, res) => sendAsset(page, req, res))
    .all(refuseMethod(['GET']));
  return router;
}

function sendAsset({ assets }: PageFiles, req: Request<{ name: string }>, res: Response): void {
  const asset = assets.get(req.params.name);
  if (asset === undefined) throw new AppError('unknown_path');
  const { type, brotli, bytes } = asset;
  setHead(res, 200, type);
  res.setHeader('Cache-Control', `public, max-age=${YEAR_S}, immutable`);
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  if (brotli !== undefined) addVary(res, 'Accept-Encoding');
  const isCompressed = brotli !== undefined && req.acceptsEncodings('br') !== false;
  if (isCompressed) res.setHeader('Content-Encoding', 'br');
  sendBytes(req, res, isCompressed ? brotli : bytes);
}

function sendBytes(req: Request, res: Response, bytes: Buffer): void {
  res.setHeader('Content-Length', bytes.length);
  res.end(req.method === 'HEAD' ? undefined : bytes);
}
