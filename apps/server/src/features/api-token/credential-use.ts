// What becomes of a credential beside being accepted or refused: its last use is noted, and the use of a replaced one
// is told. Neither delays or fails the request.
import type { Deps } from '../../deps.ts';
import { createLastUse, type LastUse } from './last-use.ts';
import { createReuseAlarm, type ReuseAlarm } from './reuse-alarm.ts';

/** Is told of credentials as they are checked. */
export interface CredentialUse {
  /** A credential was accepted. */
  readonly used: LastUse['note'];
  /** When a credential was used last, where that is not in the database yet. */
  readonly lastNoted: LastUse['lastNoted'];
  /** An API token's secret from before its rotation was refused. */
  readonly reused: ReuseAlarm['raise'];
  /** Writes what has been noted. */
  readonly flush: LastUse['flush'];
  /** Writes what can still be written. */
  close(): Promise<void>;
}

/** Makes {@link CredentialUse}. */
export function createCredentialUse(
  deps: Pick<Deps, 'db' | 'log' | 'events' | 'audit' | 'now' | 'sessionIdle'>,
): CredentialUse {
  const lastUse = createLastUse(deps.db, deps.now, deps.sessionIdle.recordEveryMs);
  const reuseAlarm = createReuseAlarm(deps);
  return {
    used: lastUse.note,
    lastNoted: lastUse.lastNoted,
    reused: reuseAlarm.raise,
    flush: lastUse.flush,
    async close() {
      await reuseAlarm.close();
      // A server stops in any case; when a credential was last used is not worth an error.
      await lastUse.flush().catch((error: unknown) => deps.log.warn({ err: error }, 'last uses were not written'));
    },
  };
}
