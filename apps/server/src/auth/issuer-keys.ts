// Keys of issuers, from their addresses: kept for some minutes, read again for a token whose key is not among them.
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { CheckedFetch } from '../net/checked-fetch.ts';

/** Keys by their address. */
export interface KeySource {
  /**
   * Verifies with the keys of an address. Rotated keys are found: `verify` runs a second time with fresh ones.
   * Rejects as `verify` does, or where the keys cannot be read.
   */
  using<T>(uri: string, verify: (find: JWTVerifyGetKey) => Promise<T>): Promise<T>;
}

/** Parts that a {@link KeySource} works with. */
export interface KeyDeps {
  readonly fetch: CheckedFetch;
  /** Milliseconds of a clock that only moves forward. */
  readonly monotonic: () => number;
}

/** Time for which keys are kept. */
const KEPT_MS = 10 * 60_000;
/** Time within which tokens with unknown keys do not have the keys read again. */
const PAUSE_MS = 5_000;
/** Most addresses whose keys are kept. */
const ADDRESSES_MAX = 200;

interface Kept {
  readonly find: Promise<JWTVerifyGetKey>;
  readonly readMs: number;
}

/** Creates a {@link KeySource}. */
export function createRemoteKeys(deps: KeyDeps): KeySource {
  const { monotonic } = deps;
  const kept = new Map<string, Kept>();

  async function read(uri: string): Promise<JWTVerifyGetKey> {
    const response = await deps.fetch(uri, { headers: { accept: 'application/json' } });
    if (response.status !== 200)
      throw new Error(`The keys of ${new URL(uri).host} cannot be read (${response.status}).`);
    return createLocalJWKSet((await response.json()) as JSONWebKeySet);
  }

  function fetchKeys(uri: string): Kept {
    const made = { find: read(uri), readMs: monotonic() };
    kept.delete(uri);
    kept.set(uri, made);
    const [oldest] = kept.keys();
    if (kept.size > ADDRESSES_MAX && oldest !== undefined) kept.delete(oldest);
    made.find.catch(() => {
      if (kept.get(uri) === made) kept.delete(uri);
    });
    return made;
  }

  return {
    async using(uri, verify) {
      const known = kept.get(uri);
      const first = known !== undefined && monotonic() - known.readMs < KEPT_MS ? known : fetchKeys(uri);
      try {
        return await verify(await first.find);
      } catch (error) {
        const isStale =
          error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
        if (!isStale || first !== known || monotonic() - first.readMs < PAUSE_MS) throw error;
        return verify(await fetchKeys(uri).find);
      }
    },
  };
}
