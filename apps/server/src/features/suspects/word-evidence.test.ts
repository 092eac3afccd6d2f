import type { AgentEventKind } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { type ChangedThing, errorWords, evidenceOfWords } from './word-evidence.ts';

const thing = (kind: AgentEventKind, field: string, more: Partial<ChangedThing> = {}): ChangedThing => ({
  kind,
  field,
  name: '',
  values: [],
  diff: '',
  ...more,
});

/** Everyday changes of a host that none of the errors below is about. */
const EVERYDAY: readonly ChangedThing[] = [
  thing('config', '/etc/motd.d/10-news'),
  thing('config', '/etc/nginx/conf.d/gzip.conf'),
  thing('config', '/srv/shop/releases.json'),
  thing('package', 'tzdata', { values: ['2026a-1', '2026b-1'] }),
  thing('package', 'vim-common', { values: ['2:9.1', '2:9.2'] }),
];

/** Errors of programs, and the change that each is about. */
const ERRORS: readonly (readonly [error: string, about: ChangedThing])[] = [
  [
    'error:0A000086:SSL routines::certificate verify failed (self-signed certificate in certificate chain)',
    thing('config', '/etc/ssl/certs/company-root.crt'),
  ],
  [
    'psql: error while loading shared libraries: libssl.so.3: cannot open shared object file: No such file or directory',
    thing('package', 'libssl3t64'),
  ],
  [
    'FATAL:  no pg_hba.conf entry for host "10.2.0.7", user "shop", database "shop", no encryption',
    thing('config', '/etc/postgresql/16/main/pg_hba.conf'),
  ],
  [
    'ERROR:  could not load library "/usr/lib/postgresql/16/lib/vector.so": undefined symbol: pg_detoast',
    thing('package', 'postgresql-16-pgvector'),
  ],
  [
    'could not write to file "pg_wal/xlogtemp.411": No space left on device',
    thing('disk', '/var/lib/postgresql', { values: ['at least 90 % used', 'at least 98 % used'] }),
  ],
  [
    'shop-worker.service: Main process exited, code=exited, status=203/EXEC',
    thing('unit', 'shop-worker.service', { values: ['active', 'failed'] }),
  ],
  [
    "lua entry thread aborted: runtime error: /etc/nginx/lua/auth.lua:12: attempt to index a nil value (field 'jwt')",
    thing('config', '/etc/nginx/lua/auth.lua'),
  ],
  [
    "module 'resty.openidc' not found: no field package.preload['resty.openidc']",
    thing('package', 'lua-resty-openidc'),
  ],
  [
    'java.lang.NoSuchMethodError: com.fasterxml.jackson.databind.ObjectMapper.readValue\n\tat com.shop.Cart.load(Cart.java:31)',
    thing('package', 'libjackson2-databind-java'),
  ],
  [
    'org.postgresql.util.PSQLException: failed\nCaused by: java.net.UnknownHostException: db.shop.internal',
    thing('dns', 'nameservers', { values: ['10.0.0.53', '10.0.0.54'] }),
  ],
  [
    'javax.net.ssl.SSLHandshakeException: PKIX path building failed: unable to find valid certification path',
    thing('package', 'ca-certificates-java'),
  ],
  [
    'io.jsonwebtoken.PrematureJwtException: JWT must not be accepted before 12:31. Clock skew of 3600 s',
    thing('clock', 'clock'),
  ],
  [
    'bind: Address already in use (errno 98), port 9100',
    thing('unit', 'node-exporter.service', { values: ['inactive', 'active'] }),
  ],
  [
    'dial tcp 10.9.4.2:6432: connect: connection refused',
    thing('config', '/etc/shop/store.ini', { diff: '@@ -1 +1 @@\n-listen 10.9.4.1:6432;\n+listen 10.9.4.2:6432;' }),
  ],
  ["open '/srv/shop/uploads/7/a.png': EACCES: permission denied", thing('config', '/srv/shop/uploads')],
  [
    'backend checkout_app has no server available!',
    thing('change', 'deploy', { name: 'checkout-app', values: ['v41', 'v42'] }),
  ],
];

const names = (things: readonly ChangedThing[]) => things.map(({ kind, name, field }) => `${kind} ${name} ${field}`);

function ordered(error: string, things: readonly ChangedThing[]): readonly ChangedThing[] {
  const evidence = evidenceOfWords(errorWords(error), things);
  const order = things.map((_, at) => at).sort((a, b) => (evidence[b] ?? 0) - (evidence[a] ?? 0));
  return order.map((at) => things[at] as ChangedThing);
}

describe('the words of an error', () => {
  it.each(nonEmpty(ERRORS))('name the change that it is about: %s', (error, about) => {
    expect(names(ordered(error, [...EVERYDAY, about]).slice(0, 1))).toEqual(names([about]));
  });

  it('prove less the more of the other changes have them', () => {
    const error = errorWords('reload of gateway failed');
    const of = (others: readonly ChangedThing[]) =>
      evidenceOfWords(error, [thing('config', '/etc/shop/gateway.ini'), ...others])[0] ?? 0;
    const alike = Array.from({ length: 12 }, (_, i) => thing('config', `/etc/gateway/gateway-${i}.ini`));
    expect(of(EVERYDAY)).toBeGreaterThan(1);
    expect(of(alike)).toBeLessThan(0.1);
  });

  it('prove nothing where they name nothing', () => {
    expect(evidenceOfWords(errorWords('qwxz failed: asdf'), EVERYDAY)).toEqual(EVERYDAY.map(() => 0));
  });

  it('speak against changes of another sort', () => {
    const evidence = evidenceOfWords(errorWords('write: No space left on device'), [
      thing('certificate', '/etc/ssl/mail.pem'),
      thing('config', '/etc/shop/gateway.ini'),
      thing('changed', 'system_version.kernel'),
      thing('disk', '/var'),
    ]);
    expect([...evidence].sort((a, b) => a - b)).toEqual(evidence);
    expect(evidence.map(Math.sign)).toEqual([-1, -1, 0, 1]);
  });

  it('are no evidence of a disk unless its space is missing', () => {
    const disks = [thing('disk', '/'), thing('disk', '/srv/shop')];
    const of = (text: string) => evidenceOfWords(errorWords(text), disks).map(Math.sign);
    expect(of("open '/srv/shop/a.png': EACCES: permission denied")).toEqual([-1, -1]);
    expect(of("write '/srv/shop/a.png': ENOSPC: no space left on device")).toEqual([1, 1]);
  });

  it('are not those of called functions, nor folders far up', () => {
    const error = errorWords('open() "/srv/x/y" failed (5: Input/output error)');
    expect(evidenceOfWords(error, [thing('config', '/etc/nginx/site/open.conf'), thing('config', '/srv')])).toEqual([
      0, 0,
    ]);
  });
});
