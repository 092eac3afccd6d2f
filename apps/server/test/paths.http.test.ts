// Spellings of a path. A proxy may deny a path by its spelling: this server must not accept another spelling for it.
import { type Contract, contract } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { everyThird } from '../../../test/thoroughness.ts';
import { RAW_ENDPOINTS } from '../src/http/endpoints/raw-endpoints.ts';
import { sendRaw } from './raw-socket.ts';
import { useSharedApi } from './start-api.ts';

const api = useSharedApi();

/** Status and error code of a GET, over a socket: a client would tidy the path. */
async function get(path: string): Promise<string> {
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nedge-token: ${api.adminToken}\r\n\r\n`;
  const [answer] = await sendRaw(api.server.port, head);
  const code = /"code":"(\w+)"/.exec(answer?.body ?? '')?.[1];
  return `${answer?.status}${code === undefined ? '' : ` ${code}`}`;
}

const UNKNOWN = '404 unknown_path';

/** The first literal letter of each part of a path in capitals, one at a time. */
function inCapitals(path: string): string[] {
  return [...path.matchAll(/\/([a-z])/g)].map(({ index }) => {
    const at = index + 1;
    return path.slice(0, at) + path.charAt(at).toUpperCase() + path.slice(at + 1);
  });
}

const PLACEHOLDER = /\{\w+\}/g;
const PATHS = [
  ...Object.values(contract as Contract).flatMap((table) => Object.values(table).map(({ path }) => path)),
  ...Object.values(RAW_ENDPOINTS).map(({ path }) => path),
  ...['/healthz', '/readyz', '/openapi.json', '/docs', '/version', '/api/v1/version'],
];
const SPELLINGS = PATHS.flatMap((path) => inCapitals(path.replaceAll(PLACEHOLDER, '1')));
const PATTERNS = PATHS.map((path) => new RegExp(`^${path.replaceAll(PLACEHOLDER, '[^/]+')}$`));

describe('a path', () => {
  it('is known in lower case only', async () => {
    const known: string[] = [];
    for (const other of nonEmpty(everyThird(SPELLINGS, 0))) {
      // A literal part may stand where another path has a placeholder.
      if (PATTERNS.some((pattern) => pattern.test(other))) continue;
      const answer = await get(other);
      if (!answer.endsWith('unknown_path')) known.push(`${other}: ${answer}`);
    }
    expect(known).toEqual([]);
  });

  it.each([
    ['/metrics', '200'],
    ['/metrics?x=y', '200'],
    ['http://x/metrics', '200'],
    ['/METRICS', UNKNOWN],
    ['/Metrics', UNKNOWN],
    // As every path: the official client ends its paths with a slash.
    ['/metrics/', '200'],
    ['/metrics//', UNKNOWN],
    ['//metrics', UNKNOWN],
    ['/./metrics', UNKNOWN],
    ['/x/../metrics', UNKNOWN],
    ['/%2e/metrics', UNKNOWN],
    ['/%6detrics', UNKNOWN],
    ['/%6Detrics', UNKNOWN],
    ['/%2fmetrics', UNKNOWN],
    ['/metrics%2f', UNKNOWN],
    ['/metrics%20', UNKNOWN],
    ['/metrics%00', UNKNOWN],
    ['/metrics%', UNKNOWN],
    ['/metrics%3fx', UNKNOWN],
    ['/metrics;x', UNKNOWN],
    ['/metrics;', UNKNOWN],
    ['/metrics.', UNKNOWN],
    ['/metrics\\', UNKNOWN],
    ['\\metrics', '400 bad_request'],
    ['/metrics#x', '400 bad_request'],
    ['http://x//metrics', UNKNOWN],
    ['http://x/METRICS', UNKNOWN],
    ['http://x/metrics/', '200'],
    ['/api/v1/../../metrics', '200 unknown_path'],
    ['/api/v1/%2e%2e/metrics', '200 unknown_path'],
  ])('%s is answered with %s', async (path, answer) => {
    expect(await get(path)).toBe(answer);
  });

  it('is not traced', async () => {
    const head = 'TRACE /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Secret: kept\r\n\r\n';
    const [answer] = await sendRaw(api.server.port, head);
    expect(answer?.status).toBe(405);
    expect(answer?.body).not.toContain('kept');
  });

  it.each([
    '//healthz',
    '/./healthz',
    '/x/../healthz',
    '/healthz%2f',
    '/%68ealthz',
    '/healthz;x',
    '*',
    '/healthz//',
    '/admin-api//user/me',
    '/%61dmin-api/user/me',
    '/api/%61gents',
    '//v1/logs',
  ])('%s is none', async (path) => {
    expect(await get(path)).toBe(UNKNOWN);
  });
});
