// Verifies id tokens of issuers that trust rules name. Keys come from the issuer alone, by guarded requests.
import { isIssuer } from '@quarterdeck/core';
import type { Proxies } from '@quarterdeck/core/network';
import { decodeJwt, jwtVerify } from 'jose';
import { createRemoteKeys } from '../../auth/issuer-keys.ts';
import { createCheckedFetch } from '../../net/checked-fetch.ts';

/** Claims of a verified id token. */
export interface IdTokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  /** Unix seconds. */
  readonly exp: number;
  readonly all: Readonly<Record<string, unknown>>;
}

/** Result of a verification: claims, or why there are none. */
export type Verified =
  | { readonly claims: IdTokenClaims }
  | { readonly refused: 'invalid' | 'unreachable'; readonly cause: unknown };

export type VerifyIdToken = (token: string, issuer: string) => Promise<Verified>;

/** Signatures by keys that only the issuer has; none with a shared secret, and not `none`. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Seconds by which the clocks may differ. */
const SKEW_S = 60;
/** Greatest age of an id token: those of jobs last minutes or hours. */
const AGE_MAX = '24h';
/** Time for which the place of the keys of an issuer is kept. */
const METADATA_KEPT_MS = 10 * 60_000;
const ISSUERS_MAX = 200;

/** Reads the issuer of an id token, which nobody has verified; undefined for text that is no id token. */
export function issuerOf(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token);
    return iss !== undefined && isIssuer(iss) ? iss : undefined;
  } catch {
    return undefined;
  }
}

interface Options {
  /** Blocks of addresses that are not public and allowed, separated by spaces. */
  readonly allow: string;
  readonly proxies: Proxies | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that only moves forward. */
  readonly monotonic: () => number;
}

/** The keys of an issuer cannot be read. */
class Unreachable extends Error {}

/** Creates a {@link VerifyIdToken}. */
export function createVerifyIdToken({ allow, proxies, now, monotonic }: Options): VerifyIdToken {
  const send = createCheckedFetch({ allow, setting: 'QUARTERDECK_TRUST_ALLOW', proxies });
  const places = new Map<string, { readonly uri: Promise<string>; readonly untilMs: number }>();
  const keys = createRemoteKeys({
    monotonic,
    fetch: (...request) =>
      send(...request).catch((cause: unknown) => {
        throw new Unreachable('the keys cannot be read', { cause });
      }),
  });

  /** Reads the place of the keys from the metadata of an issuer, which must name itself. */
  async function readPlace(issuer: string): Promise<string> {
    const response = await send(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    if (response.status !== 200) throw new Error(`the issuer answers ${response.status}`);
    const { issuer: named, jwks_uri: uri } = (await response.json()) as Record<string, unknown>;
    if (named !== issuer) throw new Error('its metadata names another issuer');
    // The keys come at least as safely as the metadata.
    const isSafe = typeof uri === 'string' && (uri.startsWith('https://') || issuer.startsWith('http://'));
    if (!isSafe || !isIssuer(uri.replace(/\?.*/, '')))
      throw new Error('its metadata has no place of keys that can be used');
    return uri;
  }

  function placeOf(issuer: string): Promise<string> {
    const known = places.get(issuer);
    if (known !== undefined && monotonic() < known.untilMs) return known.uri;
    const uri = readPlace(issuer);
    places.delete(issuer);
    places.set(issuer, { uri, untilMs: monotonic() + METADATA_KEPT_MS });
    const [oldest] = places.keys();
    if (places.size > ISSUERS_MAX && oldest !== undefined) places.delete(oldest);
    uri.catch(() => places.delete(issuer));
    return uri;
  }

  return async (token, issuer) => {
    let uri: string;
    try {
      uri = await placeOf(issuer);
    } catch (cause) {
      return { refused: 'unreachable', cause };
    }
    try {
      const { payload } = await keys.using(uri, (find) =>
        jwtVerify(token, find, {
          issuer,
          algorithms: ALGORITHMS,
          clockTolerance: SKEW_S,
          maxTokenAge: AGE_MAX,
          requiredClaims: ['sub', 'aud', 'exp', 'iat'],
          currentDate: new Date(now()),
        }),
      );
      const { iss = '', sub = '', aud = [], exp = 0 } = payload;
      return { claims: { iss, sub, aud: [aud].flat(), exp, all: payload } };
    } catch (cause) {
      return { refused: cause instanceof Unreachable ? 'unreachable' : 'invalid', cause };
    }
  };
}
