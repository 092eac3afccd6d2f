// Limits the new groups of a sender: one that logs random text would fill the disk and the list. Lines beyond go to one
// group of their source and level, which says so. They remain lines that can be searched.
import type { GroupBatch } from './batch.ts';

/** Fingerprint of the groups that take lines beyond the limit; no text has it. */
const SURPLUS = 'surplus';
/** Tells whether a group takes lines beyond the limit. */
export const isSurplus = ({ fingerprint }: Pick<GroupBatch, 'fingerprint'>): boolean => fingerprint === SURPLUS;
const MINUTE_MS = 60_000;
/** Most senders remembered; the oldest is dropped, and counts from 0 again. */
const SENDERS_MAX = 10_000;

/** New groups that one transaction may create. */
export interface Allowance {
  /** Takes a new group of a sender; returns false where it has none left. */
  take(sender: string): boolean;
  /** Remembers what was taken, once the transaction is durable. */
  commit(): void;
}

/** Limits new groups by sender and minute. */
export class NewGroupLimit {
  readonly #perMinute: number;
  #minute = 0;
  #taken = new Map<string, number>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Opens the allowance of a transaction, which may run again from the start. `nowMs` is in Unix milliseconds. */
  open(nowMs: number): Allowance {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute > this.#minute) {
      this.#minute = minute;
      this.#taken = new Map();
    }
    const before = this.#taken;
    const own = new Map<string, number>();
    return {
      take: (sender) => {
        const taken = own.get(sender) ?? before.get(sender) ?? 0;
        if (taken >= this.#perMinute) return false;
        own.set(sender, taken + 1);
        return true;
      },
      commit() {
        for (const [sender, taken] of own) before.set(sender, taken);
        for (const oldest of before.keys()) {
          if (before.size <= SENDERS_MAX) break;
          before.delete(oldest);
        }
      },
    };
  }
}

/** Joins the groups beyond the limit by source and level. */
export function joinSurplus(groups: readonly GroupBatch[]): GroupBatch[] {
  const joined = new Map<string, GroupBatch>();
  for (const group of groups) {
    const key = `${group.src},${group.level}`;
    const known = joined.get(key);
    if (known === undefined) {
      joined.set(key, { ...group, appId: 0, service: '', isIgnored: false, fingerprint: SURPLUS, log: SURPLUS_TEXT });
      continue;
    }
    known.count += group.count;
    known.firstSeen = Math.min(known.firstSeen, group.firstSeen);
    known.logTime = Math.max(known.logTime, group.logTime);
    known.lines.push(...group.lines);
  }
  for (const { lines } of joined.values()) lines.sort((a, b) => a - b);
  return [...joined.values()];
}

const SURPLUS_TEXT =
  'Too many different errors in a minute: further lines of this source and level are joined here. Read its lines, or raise QUARTERDECK_NEW_GROUPS_PER_MINUTE.';
