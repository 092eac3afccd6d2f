// The request line (RFC 9112, 3): checks its version and brings its target to one form.
import { AppError } from '@quarterdeck/core';
import type { Step } from '@quarterdeck/express/parts';
import { isHost } from './require-host.ts';

const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);
const ABSOLUTE = /^https?:\/\/([^/?]*)(.*)$/i;

/**
 * Refuses unsupported versions, and targets that a proxy may read in another way. `http://host/path` becomes `/path`
 * (RFC 9112, 3.2.2).
 */
export const requestLine: Step = (req) => {
  if (!VERSIONS.has(req.httpVersion)) {
    throw new AppError('bad_request', { message: 'The version of HTTP must be 1.0 or 1.1.' });
  }
  const { url = '' } = req;
  if (url.includes('#')) throw new AppError('bad_request', { message: 'The path contains a fragment.' });
  if (url.startsWith('/') || url === '*') return;
  const [, host = '', path = ''] = ABSOLUTE.exec(url) ?? [];
  if (!isHost(host)) throw new AppError('bad_request', { message: 'The request is for no path of this server.' });
  req.url = path.startsWith('/') ? path : `/${path}`;
};
