// Names of new cookies: only plain HTTP to the own host gives one that travels without TLS.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { flowCookie, sessionCookie } from './session-cookie.ts';

const PUBLIC = 'https://logs.example.com';
const request = (headers: IncomingHttpHeaders, encrypted = false) =>
  ({ headers, socket: { encrypted } }) as unknown as IncomingMessage;
const local = { host: '127.0.0.1:7080' };

const CASES: readonly [string, IncomingMessage, string | undefined, string][] = [
  ['a browser on the host of the server', request(local), undefined, 'quarterdeck'],
  ['one that names its page', request({ ...local, origin: 'http://localhost:7080' }), undefined, 'quarterdeck'],
  ['one that the server knows to be there', request(local), 'http://127.0.0.1:7080', 'quarterdeck'],
  ['TLS on the host of the server', request(local, true), undefined, '__Host-quarterdeck'],
  ['a page behind a proxy', request({ ...local, origin: PUBLIC }), undefined, '__Host-quarterdeck'],
  ['a server that people reach over TLS', request(local), PUBLIC, '__Host-quarterdeck'],
  ['a page that hides its origin', request({ ...local, origin: 'null' }), undefined, '__Host-quarterdeck'],
  ['another host', request({ host: 'logs.example.com' }), undefined, '__Host-quarterdeck'],
  ['a name like that of the own host', request({ host: 'localhost.example.com' }), undefined, '__Host-quarterdeck'],
];

describe.each(nonEmpty(CASES))('for %s', (_, req, address, name) => {
  it(`the cookies begin with ${name}`, () => {
    const isSecure = name.startsWith('__Host-');
    for (const [text, expected] of [
      [sessionCookie(req, 'secret', { address }), `${name}=secret`],
      [flowCookie(req, 'sealed', { address, maxAgeS: 600 }), `${name}-sign-in=sealed`],
    ] as const) {
      const [pair, ...attributes] = text.split('; ');
      expect([pair, attributes.includes('Secure')]).toEqual([expected, isSecure]);
      expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly']));
    }
  });
});
