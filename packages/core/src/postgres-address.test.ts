import { describe, expect, it } from 'vitest';
import { parsePostgresAddress } from './postgres-address.ts';

const SECRET = 'hunter2';

describe('parsePostgresAddress', () => {
  it.each([
    ['postgresql://u@a:5433,b/db', ['a:5433', 'b:5432']],
    ['postgres://u:p%40@a,b:5433,c/db?target_session_attrs=read-write', ['a:5432', 'b:5433', 'c:5432']],
    ['postgresql://[::1]:5433,[fe80::2]/db?target_session_attrs=primary', ['::1:5433', 'fe80::2:5432']],
    ['postgresql://u@/db?host=a,b&port=5433', ['a:5433', 'b:5433']],
    ['postgresql:///db?host=a,/run/postgresql&port=5433,5434', ['a:5433', '/run/postgresql:5434']],
    ['postgresql://%2Frun%2Fpg,b/db', ['/run/pg:5432', 'b:5432']],
  ])('finds the hosts of %s', (address, hosts) => {
    expect(parsePostgresAddress(address).hosts.map(({ host, port }) => `${host}:${port}`)).toEqual(hosts);
  });

  it.each([
    'postgresql://u:p@a:5433/db?sslmode=verify-full',
    'postgresql://u@[::1]/db',
    'postgresql:///db?host=/run/postgresql',
    'postgresql://u@/db?host=/run/postgresql',
    'postgresql://localhost',
  ])('leaves %s to node-postgres', (address) => {
    const parsed = parsePostgresAddress(address);
    expect(parsed.hosts).toEqual([]);
    expect(parsed.url()).toBe(address);
  });

  it('gives each host the user, the database and the parameters of all', () => {
    const { hosts, url } = parsePostgresAddress(
      'postgresql://u:p%2F@a,[::1]:5433/db?sslmode=require&options=-c%20x%3D1',
    );
    const parts = hosts.map((host) => new URL(url(host)));
    for (const { username, password, pathname, searchParams } of parts) {
      expect([username, password, pathname]).toEqual(['u', 'p%2F', '/db']);
      expect([searchParams.get('sslmode'), searchParams.get('options')]).toEqual(['require', '-c x=1']);
    }
    expect(parts.map(({ searchParams }) => searchParams.get('host'))).toEqual(['a', '::1']);
    expect(parts.map(({ searchParams }) => searchParams.get('port'))).toEqual(['5432', '5433']);
  });

  it('has limits of time, which no other program sees', () => {
    const usual = { connectMs: 2_000, queryMs: 4_500 };
    expect(parsePostgresAddress('postgresql://u@a/db').limits).toEqual(usual);
    const given = 'connect_timeout=10&query_timeout=20000';
    for (const [address, url] of [
      [`postgresql://u@a/db?${given}`, 'postgresql://u@a/db'],
      [`postgresql://u@a/db?sslmode=require&${given}`, 'postgresql://u@a/db?sslmode=require'],
      [`postgresql://u@a,b/db?${given}`, 'postgresql://u@host/db?host=a&port=5432'],
    ] as const) {
      const parsed = parsePostgresAddress(address);
      expect([parsed.limits, parsed.url()]).toEqual([{ connectMs: 10_000, queryMs: 20_000 }, url]);
    }
  });

  it.each([
    ['mysql://root:hunter2@a/db', 'no postgresql:// address'],
    ['postgresql://u:hunter2@a,b/db?target_session_attrs=any', 'read-write or primary'],
    ['postgresql://u:hunter2@a/db?target_session_attrs=standby', 'read-write or primary'],
    ['postgresql://u:1/hunter2@a/db', 'percent-encoded'],
    ['postgresql://u:hunter2@a/db?schema=deck', 'search_path'],
    ['postgresql://u:hunter2@a,,b/db', 'empty'],
    ['postgresql://u:hunter2@a/db?query_timeout=0', 'query_timeout'],
    ['postgresql://u:hunter2@a/db?query_timeout=5s', 'query_timeout'],
    ['postgresql://u:hunter2@a/db?connect_timeout=601', 'connect_timeout'],
    ['postgresql://u:hunter2@a,b/db?port=1,2,3', 'one port for each host'],
    ['postgresql://u:hunter2@a:99999,b/db', 'from 1 to 65535'],
    ['postgresql://u:hunter2@a:x,b/db', 'malformed'],
    ['postgresql://u:hunter2@a%,b/db', 'percent-encoded'],
    ['postgresql://u:hunter2@a b/db', 'percent-encoded'],
  ])('refuses %s with a reason that holds no secret', (address, reason) => {
    expect(() => parsePostgresAddress(address)).toThrow(reason);
    expect(() => parsePostgresAddress(address)).not.toThrow(SECRET);
  });
});
