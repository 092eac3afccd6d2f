import { addressWithin } from '@quarterdeck/core/addresses';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientAddress, forwarded, xForwardedFor } from './client-address.ts';

const TRUSTED = '127.0.0.1 10.0.0.0/8 2001:db8:ffff::/48';

/** The client by `X-Forwarded-For`, seen from the trusted proxy 127.0.0.1. */
const byXff = (value: string, peer = '127.0.0.1') =>
  clientAddress(peer, { 'x-forwarded-for': value, forwarded: 'for=203.0.113.99' }, xff);
const byForwarded = (value: string, peer = '127.0.0.1') =>
  clientAddress(peer, { forwarded: value, 'x-forwarded-for': '203.0.113.99' }, rfc7239);
const xff = { trusted: TRUSTED, header: 'x-forwarded-for' } as const;
const rfc7239 = { trusted: TRUSTED, header: 'forwarded' } as const;

describe('the client by X-Forwarded-For', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['203.0.113.7, 192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, 10.1.2.3', '192.0.2.1'],
    ['203.0.113.7,192.0.2.1,10.1.2.3 ,\t127.0.0.1', '192.0.2.1'],
    ['10.1.2.3, 10.9.9.9', '10.1.2.3'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:DB8::1]', '2001:db8::1'],
    ['[2001:db8:0:0::1]:4711', '2001:db8::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, ::ffff:10.0.0.1', '192.0.2.1'],
    ['2001:db8::7, 2001:db8:ffff::1', '2001:db8::7'],
    ['192.0.2.1, , ,', '192.0.2.1'],
    ['', '127.0.0.1'],
    ['unknown', '127.0.0.1'],
    ['192.0.2.1, unknown', '127.0.0.1'],
    ['192.0.2.1, _hidden, 10.1.1.1', '10.1.1.1'],
    ['192.0.2.1, nonsense, 10.1.1.1', '10.1.1.1'],
    ['192.0.2.256', '127.0.0.1'],
    ['192.0.2.1:port', '127.0.0.1'],
    ['192.0.2.1:123456', '127.0.0.1'],
    ['[192.0.2.1]', '192.0.2.1'],
    ['[2001:db8::1', '127.0.0.1'],
    ['fe80::1%eth0', '127.0.0.1'],
    ['"192.0.2.1"', '127.0.0.1'],
  ])('%j is %s', (value, client) => {
    expect(byXff(value)).toBe(client);
  });
});

describe('the client by Forwarded', () => {
  it.each([
    ['for=192.0.2.1', '192.0.2.1'],
    ['For="192.0.2.1:4711";proto=https;by=_edge', '192.0.2.1'],
    ['for="[2001:db8::1]:4711"', '2001:db8::1'],
    ['for="[2001:db8::1]:_port"', '2001:db8::1'],
    ['for="\\1\\9\\2.0.2.1"', '192.0.2.1'],
    ['for=203.0.113.7, for=192.0.2.1', '192.0.2.1'],
    ['for=192.0.2.1;host="a,b;c=\\"d", for=10.1.2.3', '192.0.2.1'],
    ['for=192.0.2.1 ; by=10.0.0.1 , for=10.1.2.3;', '192.0.2.1'],
    ['for=192.0.2.1,, ,for=10.1.2.3', '192.0.2.1'],
    ['for=unknown', '127.0.0.1'],
    ['for=_hidden', '127.0.0.1'],
    ['for="_hidden:80", for=10.1.2.3', '10.1.2.3'],
    ['for=192.0.2.1, for=unknown, for=10.1.2.3', '10.1.2.3'],
    ['for=192.0.2.1, proto=https', '127.0.0.1'],
    ['for=192.0.2.1;for=203.0.113.7', '127.0.0.1'],
    ['for=192.0.2.1:4711', '127.0.0.1'],
    ['for=[2001:db8::1]', '127.0.0.1'],
    ['for="192.0.2.1', '127.0.0.1'],
    ['for=192.0.2.1 by=10.0.0.1', '127.0.0.1'],
    ['192.0.2.1', '127.0.0.1'],
    // Quotes that a client leaves open do not swallow what the proxy appends.
    ['for="203.0.113.7, for=192.0.2.1', '192.0.2.1'],
    ['for=203.0.113.7;x=", for="192.0.2.1"', '192.0.2.1'],
    ['for=203.0.113.7;x="\\", for="[2001:db8::1]";host="h"', '2001:db8::1'],
    ['for=203.0.113.7;x=", for=192.0.2.1;by="10.0.0.1";host=""', '192.0.2.1'],
  ])('%j is %s', (value, client) => {
    expect(byForwarded(value)).toBe(client);
  });
});

describe('the client', () => {
  it('is the peer where the peer is no trusted proxy', () => {
    for (const peer of ['192.0.2.9', '2001:db8::9']) {
      expect(byXff('203.0.113.7', peer)).toBe(peer);
      expect(byForwarded('for=203.0.113.7', peer)).toBe(peer);
    }
    const headers = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' };
    expect(clientAddress('127.0.0.1', headers, { ...xff, trusted: '' })).toBe('127.0.0.1');
  });

  it('has an IPv4 address in its plain form, behind a proxy that is reported as IPv6', () => {
    expect(byXff('', '::ffff:192.0.2.9')).toBe('192.0.2.9');
    expect(byXff('192.0.2.1', '::ffff:127.0.0.1')).toBe('192.0.2.1');
  });

  it('is unknown on a connection that has ended', () => {
    expect(clientAddress(undefined, { 'x-forwarded-for': '203.0.113.7' }, xff)).toBe('');
  });

  const client = fc.oneof(fc.ipV4(), fc.ipV6()).filter((address) => !addressWithin(address, TRUSTED));
  const hostile = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'"\\,;=: []for192.') }),
    fc.constantFrom('for="', 'for=203.0.113.7;x="\\', 'for=203.0.113.7, "'),
  );
  const plain = (address: string) => clientAddress(address, {}, xff);
  const node = (address: string) => (address.includes(':') ? `"[${address}]"` : address);

  it('does not depend on what comes before the entry of the nearest proxy', () => {
    fc.assert(
      fc.property(client, hostile, (address, before) => {
        expect(byXff(`${before}, ${address}`)).toBe(plain(address));
        expect(byForwarded(`${before}, for=${node(address)};host="a, b"`)).toBe(plain(address));
      }),
    );
  });

  it('is an address of the header or the peer, whatever the header holds', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        expect(['127.0.0.1', ...xForwardedFor(value)]).toContain(byXff(value));
        expect(['127.0.0.1', ...forwarded(value)]).toContain(byForwarded(value));
      }),
    );
  });
});
