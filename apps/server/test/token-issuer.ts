// An issuer of id tokens for jobs, on loopback, with real keys: what GitHub, GitLab or Kubernetes are for theirs.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface TokenIssuer extends AsyncDisposable {
  readonly url: string;
  /** Paths that were requested. */
  readonly requests: string[];
  /** Signs an id token. Claims replace the usual ones; undefined leaves one out. */
  sign(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  rotateKeys(): Promise<void>;
  /** Answers the path in place of the usual answer. */
  readonly answers: Map<
    string,
    { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  >;
}

/** Starts an issuer. `nowMs` is the time of its tokens. */
export async function startTokenIssuer(nowMs: () => number = Date.now): Promise<TokenIssuer> {
  let key: CryptoKey;
  let jwk: JWK;
  const requests: string[] = [];
  const answers: TokenIssuer['answers'] = new Map();
  const server = createServer((req, res) => {
    const path = req.url ?? '';
    requests.push(path);
    const { status, headers = {}, body } = answers.get(path) ?? { status: 200 };
    const usual = path === '/keys' ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/keys` };
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(body ?? JSON.stringify(usual));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let count = 0;

  const issuer: TokenIssuer = {
    url,
    requests,
    answers,
    async rotateKeys() {
      count += 1;
      const pair = await generateKeyPair('ES256', { extractable: true });
      key = pair.privateKey;
      jwk = { ...(await exportJWK(pair.publicKey)), kid: `key-${count}`, alg: 'ES256', use: 'sig' };
    },
    sign(claims = {}, header = {}) {
      count += 1;
      const now = Math.floor(nowMs() / 1000);
      const all = { iss: url, aud: 'quarterdeck', sub: 'repo:org/name:ref:refs/heads/main', iat: now, exp: now + 300 };
      const payload = Object.fromEntries(
        Object.entries({ ...all, jti: String(count), ...claims }).filter(([, value]) => value !== undefined),
      );
      return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: jwk.kid ?? '', ...header }).sign(key);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  await issuer.rotateKeys();
  return issuer;
}
