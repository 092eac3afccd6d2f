// Identifies callers by a Quarterdeck server: it checks the credential of a request and says whose it is.

import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { AppError, contract, type ErrorCode, type Me, type UserActor } from '@quarterdeck/core';
import { type ClientOptions, createClient, type EventOf, isApiError } from '@quarterdeck/sdk';
import { readCredential } from './credential.ts';
import type { Identify } from './serve-contract.ts';

const CACHE_MS = 5_000;
const REFUSAL_MS = 1_000;
const TIMEOUT_MS = 3_000;
const KEPT_MAX = 10_000;
/** Checks under way at most: a flood of invented credentials must not become a flood of the server. */
const PENDING_MAX = 64;

/** Options of {@link createRemoteIdentify}. */
export interface RemoteIdentifyOptions extends Pick<ClientOptions, 'fetch' | 'timeoutMs'> {
  /** Address of the Quarterdeck server. */
  readonly url: string;
  /**
   * API token of this service, with the scope `api_token:read`, for the event stream: revoked API tokens, and
   * people who are disabled, deleted, signed out or given another role, are then refused within a second. Without it,
   * and where people end their own sessions, `cacheMs` is the longest delay.
   */
  readonly apiToken?: string | undefined;
  /** Milliseconds for which an accepted credential is not checked again; 5,000 by default. */
  readonly cacheMs?: number | undefined;
  /** Milliseconds for which a refused credential is not checked again; 1,000 by default. */
  readonly refusalCacheMs?: number | undefined;
  /** Called when the event stream has ended for good, because the service's own token was refused. */
  readonly onStreamEnd?: ((error: unknown) => void) | undefined;
  /** Unix milliseconds; replaces the system's clock in tests. */
  readonly now?: (() => number) | undefined;
}

/** Identifies callers, until it is closed. */
export interface RemoteIdentify extends Disposable {
  readonly identify: Identify;
  /** Ends the event stream. */
  close(): void;
}

/** Refusals that callers get as the server words them; any other is an invalid credential. */
const PASSED_ON: readonly string[] = ['session_expired', 'token_expired', 'address_not_allowed'] satisfies ErrorCode[];

const WHO = { user: { me: contract.user.me } } as const;

/**
 * Creates an {@link Identify} that asks a Quarterdeck server. Accepts the session tokens and API tokens of people, with
 * the permissions that they have there. It keeps digests of credentials, never the credentials.
 *
 * @throws TypeError for an invalid url or token
 */
export function createRemoteIdentify(options: RemoteIdentifyOptions): RemoteIdentify {
  const { url, apiToken, fetch, now = Date.now } = options;
  const limits = {
    actorMs: options.cacheMs ?? CACHE_MS,
    refusalMs: options.refusalCacheMs ?? REFUSAL_MS,
    max: KEPT_MAX,
  };
  const cache = new CredentialCache(limits, now);
  const closed = new AbortController();
  const connection = { url, fetch, timeoutMs: options.timeoutMs ?? TIMEOUT_MS, retries: 1 };
  // Reports an invalid address at once, not at the first request.
  createClient({ ...connection, contract: WHO });

  async function check(kind: 'session' | 'api_token', secret: string, address: string): Promise<Checked> {
    const credential = kind === 'session' ? { sessionToken: secret } : { apiToken: secret };
    const client = createClient({ ...connection, ...credential, contract: WHO, checkAnswers: true });
    try {
      // A server that trusts this service as a proxy applies the address rules of the token to the client.
      const headers = isIP(address) === 0 ? {} : { 'x-forwarded-for': address };
      return { actor: actorOf(await client.user.me(undefined, { headers, signal: closed.signal })) };
    } catch (error) {
      return { refusal: refusalOf(error) };
    }
  }

  if (apiToken !== undefined) {
    const stream = createClient({ ...connection, apiToken }).events({
      types: ['token.revoked', 'user.revoked'],
      signal: closed.signal,
    });
    // Events missed while the stream was lost come afterwards; where they cannot, `resync` comes.
    const follow = async () => {
      for await (const event of stream) cache.drop(revokedBy(event));
    };
    follow().catch((error: unknown) => options.onStreamEnd?.(error));
  }

  return {
    async identify({ headers, address }) {
      const credential = readCredential(headers);
      if (credential === null) return null;
      const { kind, secret } = credential;
      if (kind !== 'session' && kind !== 'api_token') {
        throw new AppError('credential_invalid', { detail: 'This service takes session tokens and API tokens.' });
      }
      const key = CredentialCache.keyOf(kind, secret, address);
      const found = cache.find(key);
      if (found === undefined && cache.pending >= PENDING_MAX) throw new AppError('overloaded');
      const checked = await (found ?? cache.check(key, () => check(kind, secret, address)));
      if ('actor' in checked) return checked.actor;
      throw checked.refusal;
    },
    close: () => closed.abort(),
    [Symbol.dispose]: () => closed.abort(),
  };
}

/** Test for the callers whom an event concerns: all where events were missed. */
function revokedBy(event: EventOf<'token.revoked' | 'user.revoked'>): (caller: UserActor) => boolean {
  if (event.type === 'user.revoked') return ({ userId }) => userId === event.data.id;
  if (event.type !== 'token.revoked') return () => true;
  return ({ credential }) => credential.kind === 'api_token' && credential.id === event.data.id;
}

/** Converts a refusal of the credential. Throws 503 where the server did not say anything about it. */
function refusalOf(error: unknown): AppError {
  if (!isApiError(error) || (error.status !== 401 && error.status !== 403)) {
    throw new AppError('identity_unavailable', { cause: error });
  }
  return new AppError(PASSED_ON.includes(error.code) ? (error.code as ErrorCode) : 'credential_invalid');
}

/** Builds the caller from the server's answer. Nobody can confirm a session at another service. */
const actorOf = ({ id, username, role, permissions, credential, ...factor }: Me): UserActor => ({
  kind: 'user',
  userId: id,
  username,
  role,
  permissions,
  secondFactor: factor.second_factor,
  mustSetUpSecondFactor: factor.must_set_up_second_factor,
  scopes: credential.kind === 'api_token' ? permissions : null,
  errlogFilter: factor.errlog_filter ?? '',
  credential: {
    kind: credential.kind,
    id: credential.id,
    name: '',
    errlogFilter: '',
    expireMs: credential.expire,
    confirmed: false,
  },
});

/** Result of a check: a caller, or a refusal. */
type Checked = { readonly actor: UserActor } | { readonly refusal: AppError };

/** A kept result. */
interface Entry {
  readonly checked: Checked;
  readonly untilMs: number;
}

/** Bounds of the time and the number of kept results. */
interface CacheLimits {
  /** Milliseconds for which a caller is kept. */
  readonly actorMs: number;
  /** Milliseconds for which a refusal is kept. */
  readonly refusalMs: number;
  /** Results at most; the oldest are removed beyond. */
  readonly max: number;
}

/** Results of checks, and the checks under way. */
export class CredentialCache {
  readonly #limits: CacheLimits;
  readonly #now: () => number;
  readonly #kept = new Map<string, Entry>();
  readonly #pending = new Map<string, Promise<Checked>>();
  #drops = 0;

  constructor(limits: CacheLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Checks under way. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Digest of texts: the cache never holds a credential. */
  static keyOf(...texts: readonly string[]): string {
    return createHash('sha256').update(texts.join('\n')).digest('base64');
  }

  /** Returns the kept result, or that of a check under way; undefined where a check is needed. */
  find(key: string): Promise<Checked> | Checked | undefined {
    const entry = this.#kept.get(key);
    if (entry !== undefined && entry.untilMs > this.#now()) return entry.checked;
    return this.#pending.get(key);
  }

  /** Runs a check, which concurrent requests share. Keeps its result; a check that fails leaves nothing. */
  check(key: string, run: () => Promise<Checked>): Promise<Checked> {
    const dropsBefore = this.#drops;
    const checking = run()
      .then((checked) => {
        // A revocation during the check may be later than what the server saw.
        if (this.#drops === dropsBefore) this.#keep(key, checked);
        return checked;
      })
      .finally(() => {
        if (this.#pending.get(key) === checking) this.#pending.delete(key);
      });
    this.#pending.set(key, checking);
    return checking;
  }

  /** Removes the results of some callers. Later requests share no check begun before. */
  drop(isOf: (caller: UserActor) => boolean): void {
    this.#drops += 1;
    this.#pending.clear();
    for (const [key, { checked }] of this.#kept) {
      if ('actor' in checked && isOf(checked.actor)) this.#kept.delete(key);
    }
  }

  #keep(key: string, checked: Checked): void {
    const { actorMs, refusalMs, max } = this.#limits;
    const untilMs = this.#now() + ('actor' in checked ? actorMs : refusalMs);
    this.#kept.delete(key);
    this.#kept.set(key, { checked, untilMs: Math.min(untilMs, expiryOf(checked)) });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > max && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** Time at which a credential expires by itself; never for a refusal. */
function expiryOf(checked: Checked): number {
  return ('actor' in checked && checked.actor.credential.expireMs) || Infinity;
}
