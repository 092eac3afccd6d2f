// Releases of services that begin, as the events of programs name them: each is a change of the kind `deploy`.
import type { ChangeDraft } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { cleanName } from '@quarterdeck/core/lines';
import { unixSeconds } from '@quarterdeck/core/plain';
import type { SeenRelease } from '@quarterdeck/intake';
import { OTHER_NAME, SenderNames } from '@quarterdeck/intake';
import { hasBegun, type Release } from './release.repo.ts';

/** Releases that one credential may begin in an hour. The key of a DSN is public. */
const NEW_PER_HOUR = 20;
/** Releases that are known without a look at the database. */
const KNOWN_MAX = 10_000;
const MAX_SHOWN = 200;
/** The environment of SDKs that set none. */
const USUAL_ENVIRONMENT = 'production';

/** Finds the releases that begin, of those that events name. */
export class ReleaseWatch {
  readonly #db: Database;
  readonly #known = new Set<string>();
  readonly #begun = new SenderNames({
    newPerHour: NEW_PER_HOUR,
    newPerHourInAll: Number.POSITIVE_INFINITY,
    onOther: () => {},
  });

  constructor(db: Database) {
    this.#db = db;
  }

  /** Tells whether a release may begin now: it is new, and its sender has not begun too many. */
  async mayBegin(release: Release, sender: string, nowMs: number): Promise<boolean> {
    const key = keyOf(release);
    if (this.#known.has(key)) return false;
    if (await hasBegun(this.#db.read, release)) {
      this.know(release);
      return false;
    }
    return this.#begun.admit(sender, key, unixSeconds(nowMs)) !== OTHER_NAME;
  }

  /** Notes a release that has begun. */
  know(release: Release): void {
    this.#known.add(keyOf(release));
    if (this.#known.size <= KNOWN_MAX) return;
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      return;
    }
  }
}

const keyOf = ({ service, environment, release }: Release) => JSON.stringify([service, environment, release]);

/** Returns a release with texts that fit. */
export const boundedRelease = ({ service, environment, release }: SeenRelease): Release => ({
  service,
  environment: cleanName(environment),
  release: cleanName(release),
});

/** Returns the change that a release is. Without a host it concerns no agent: a browser is none. */
export function draftOf({ service, environment, release }: Release, host: string, before: string): ChangeDraft {
  const isUsual = environment === '' || environment === USUAL_ENVIRONMENT;
  const name = (isUsual ? service : `${service} (${environment})`).slice(0, MAX_SHOWN);
  const hosts = host === '' ? [] : [host];
  return { kind: 'deploy', name, before, after: release, hosts, service };
}
