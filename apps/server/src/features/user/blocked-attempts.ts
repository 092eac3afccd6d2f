// Counts sign-ins that the throttle refuses before their password is checked, and records them in the audit log:
// without them, only the first attempts of a long attack would be there. A refused attempt costs no write of its own.
import { networkOf } from '@quarterdeck/core/addresses';
import type { UserNeeds } from './needs.ts';
import type { AuthRequest } from './password-check.ts';

type Refused = Pick<AuthRequest, 'user' | 'request' | 'purpose'>;

interface Count {
  attempts: number;
  last: Refused;
}

/** Pairs of a network and an account that are counted apart. Attempts of others are counted together. */
const KEPT_MAX = 1_000;
/** Entries of one write. The pairs with fewer attempts share one entry. */
const ENTRIES_MAX = 20;

/** Attempts that the throttle has refused. */
export interface BlockedAttempts {
  /** Counts an attempt. */
  note(refused: Refused): void;
  /** Records what was counted since the last time. */
  write(): Promise<void>;
}

/** Creates a {@link BlockedAttempts}. */
export function createBlockedAttempts({ db, audit, log }: Pick<UserNeeds, 'db' | 'audit' | 'log'>): BlockedAttempts {
  let counts = new Map<string, Count>();
  let others = 0;

  return {
    note(refused) {
      const key = `${networkOf(refused.request.address)} ${refused.user?.id ?? 0}`;
      const known = counts.get(key);
      if (known !== undefined) {
        known.attempts += 1;
        known.last = refused;
      } else if (counts.size < KEPT_MAX) counts.set(key, { attempts: 1, last: refused });
      else others += 1;
    },

    async write() {
      if (counts.size === 0) return;
      const sorted = [...counts.values()].sort((a, b) => b.attempts - a.attempts);
      const rest = sorted.splice(ENTRIES_MAX - 1).reduce((sum, { attempts }) => sum + attempts, others);
      counts = new Map();
      others = 0;
      try {
        await db.write(async (tx) => {
          for (const { attempts, last } of sorted) {
            const { user, request, purpose } = last;
            await audit.record(tx, {
              action: 'user.login_blocked',
              actor: null,
              request,
              // As with a failed attempt, an unknown name is left out.
              ...(user === undefined ? {} : { target: { kind: 'user', id: user.id } }),
              detail: { attempts, purpose, ...(user === undefined ? {} : { username: user.username }) },
            });
          }
          if (rest > 0) {
            await audit.record(tx, { action: 'user.login_blocked', actor: null, detail: { attempts: rest } });
          }
        });
      } catch (error) {
        const lost = sorted.reduce((sum, { attempts }) => sum + attempts, rest);
        log.warn({ err: error, lost }, 'blocked sign-ins could not be written to the audit log');
      }
    },
  };
}
