// Keeps the results of credential checks for some seconds, by a digest of the credential.
import { createHash } from 'node:crypto';
import type { AppError, UserActor } from '@quarterdeck/core';

/** Result of a check: a caller, or a refusal. */
export type Checked = { readonly actor: UserActor } | { readonly refusal: AppError };

/** A kept result. */
interface Entry {
  readonly checked: Checked;
  readonly untilMs: number;
}

/** Bounds of the time and the number of kept results. */
export interface CacheLimits {
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
