// Certificates for tests, by the real openssl, in a folder that is removed after the test.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { afterAll } from 'vitest';
import { findProgram } from './programs.ts';

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority that signs certificates for 127.0.0.1. */
export interface Authority extends Disposable {
  readonly cert: string;
  issue(name: string): Certificate;
}

/** The first message of a TLS client, for a handshake that is begun and never finished. */
export function clientHello(): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const wire = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      resolve(chunk);
      done();
    },
  });
  connect({ socket: wire });
  return promise;
}

/** Creates an authority with `program`, which is openssl. */
export function makeAuthority(program: string): Authority {
  const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-certificates-'));
  const run = (...args: string[]) => execFileSync(program, args, { cwd: dir, stdio: 'pipe' });
  const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  run('req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=test authority');
  writeFileSync(join(dir, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:receiver.test');
  const read = (file: string) => readFileSync(join(dir, file), 'utf8');
  return {
    cert: read('ca.pem'),
    issue(name) {
      run('req', ...NEW_KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
      run('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...by);
      return { cert: read(`${name}.pem`), key: read(`${name}.key`) };
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Creates an authority for the tests of a file, at its first use. */
export function useAuthority(): () => Authority {
  let authority: Authority | undefined;
  afterAll(() => authority?.[Symbol.dispose]());
  return () => {
    authority ??= makeAuthority(findProgram('openssl') ?? '');
    return authority;
  };
}
