// Rules of the kind `signin.failed`: more sign-ins failed within a time than usual. Attempts that the throttle refused
// count too. Usernames that nobody has are not stored: people type passwords where usernames belong.
import { parseDetail } from '../../audit/audit.repo.ts';
import type { Episode, LastingKind, Round } from './kind.ts';
import { auditOfAction, countOfAction, lastAuditBefore, latestOfAction, type NewAuditEntry } from './new-audit.repo.ts';
import { countText, durationText } from './words.ts';

const FAILED = 'user.login_failed';
const BLOCKED = 'user.login_blocked';
/** Entries that one statement reads. */
const PORTION = 1_000;
/** Accounts and addresses of an alert. */
const TOP = 5;
/** Entries of a preview. */
const REPLAYED_MAX = 50_000;
const TOO_MANY = 'There are too many failed sign-ins to look at.';

/** Attempts that an entry stands for, and whose they were. */
interface Attempts {
  readonly timeMs: number;
  readonly n: number;
  readonly address: string;
  readonly username: string;
}

function attemptsOf({ timeMs, address, detail }: NewAuditEntry): Attempts {
  const { attempts, username } = parseDetail(detail);
  return {
    timeMs,
    n: typeof attempts === 'number' ? attempts : 1,
    address,
    username: typeof username === 'string' ? username : '',
  };
}

export const signinFailed: LastingKind = {
  ends: true,

  async active(round, { count, withinS }) {
    const { attempts, latest } = await round.once(`signins:${withinS}`, () => readFailed(round, withinS * 1000));
    if (attempts <= count) return { causes: [] };
    const accounts = top(latest, ({ username }) => username);
    const addresses = top(latest, ({ address }) => address);
    return {
      causes: [
        {
          key: 'signin',
          title: titleOf(attempts, withinS, accounts[0]?.name, addresses[0]?.name),
          detail: { attempts, within: withinS, accounts, addresses },
          sinceMs: Math.max(...latest.map(({ timeMs }) => timeMs)),
        },
      ],
    };
  },

  async explain(round, { count, withinS }, atMs) {
    const { attempts, isComplete } = await readSince(round, atMs - withinS * 1000);
    const value = attempts.reduce((sum, { timeMs, n }) => (timeMs <= atMs ? sum + n : sum), 0);
    const text = `${countText(value, 'sign-in')} failed within ${durationText(withinS * 1000)}, more than ${count} are needed.`;
    return {
      conditions: [{ name: 'attempts', value, limit: count, met: value > count, text }],
      whyIncomplete: isComplete ? undefined : TOO_MANY,
    };
  },

  async replay(round, { count, withinS }, fromMs) {
    const { attempts, isComplete } = await readSince(round, fromMs - withinS * 1000);
    const episodes: Episode[] = [];
    let open: { key: string; title: string; sinceMs: number; untilMs: number | null } | undefined;
    let [n, first] = [0, 0];
    /** Drops the attempts that are too old at a time, and ends the episode with the first one that decides. */
    const drop = (ms: number) => {
      for (let oldest = attempts[first]; oldest && oldest.timeMs < ms - withinS * 1000; oldest = attempts[first]) {
        n -= oldest.n;
        first += 1;
        if (open === undefined || n > count) continue;
        open.untilMs = oldest.timeMs + withinS * 1000;
        open = undefined;
      }
    };
    const add = ({ timeMs, n: more }: Attempts) => {
      drop(timeMs);
      n += more;
      if (n <= count || open !== undefined) return;
      open = { key: 'signin', title: titleOf(n, withinS), sinceMs: timeMs, untilMs: null };
      episodes.push(open);
    };
    await round.eventLoop.inParts(attempts, PORTION, (part) => part.forEach(add));
    drop(round.nowMs);
    return {
      episodes: episodes.filter(({ sinceMs }) => sinceMs >= fromMs),
      whyIncomplete: isComplete ? undefined : TOO_MANY,
    };
  },
};

function titleOf(attempts: number, withinS: number, account?: string, address?: string): string {
  const most = [account && `for ${account}`, address && `from ${address}`].filter(Boolean).join(' ');
  const title = `${countText(attempts, 'sign-in')} failed within ${durationText(withinS * 1000)}`;
  return most === '' ? title : `${title}, most of them ${most}`;
}

/** Counts the attempts within a time that ends now; `latest` has the last ones of them. */
async function readFailed({ read, nowMs, eventLoop }: Round, withinMs: number) {
  const afterId = await lastAuditBefore(read, nowMs - withinMs);
  const failed = await countOfAction(read, FAILED, afterId, () => eventLoop.pause());
  const blocked = await readAll(read, BLOCKED, afterId, () => eventLoop.pause());
  const latest = [...(await latestOfAction(read, FAILED, afterId, PORTION)).map(attemptsOf), ...blocked];
  return { attempts: blocked.reduce((sum, { n }) => sum + n, failed), latest };
}

async function readAll(read: Round['read'], action: string, afterId: number, pause: () => Promise<void>) {
  const found: Attempts[] = [];
  for (let id = afterId; ; ) {
    const portion = await auditOfAction(read, action, id, PORTION);
    for (const entry of portion) found.push(attemptsOf(entry));
    const last = portion.at(-1);
    if (last === undefined || portion.length < PORTION || found.length >= REPLAYED_MAX) return found;
    id = last.id;
    await pause();
  }
}

/** Reads the attempts since a time, oldest first. */
async function readSince({ read, eventLoop }: Round, fromMs: number) {
  const afterId = await lastAuditBefore(read, fromMs);
  const pause = () => eventLoop.pause();
  const failed = await readAll(read, FAILED, afterId, pause);
  const attempts = [...failed, ...(await readAll(read, BLOCKED, afterId, pause))];
  return { attempts: attempts.sort((a, b) => a.timeMs - b.timeMs), isComplete: failed.length < REPLAYED_MAX };
}

/** The names with the most attempts. */
function top(all: readonly Attempts[], nameOf: (attempts: Attempts) => string) {
  const sums = new Map<string, number>();
  for (const attempts of all) {
    const name = nameOf(attempts);
    if (name !== '') sums.set(name, (sums.get(name) ?? 0) + attempts.n);
  }
  return [...sums]
    .map(([name, attempts]) => ({ name, attempts }))
    .sort((a, b) => b.attempts - a.attempts)
    .slice(0, TOP);
}
