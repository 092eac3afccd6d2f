// Causes of rules of the kind `server.health`: each has a title for people at night, and what to check first.
import type { Damage } from '@quarterdeck/store';
import type { BackupState, FailingChannel } from './health.repo.ts';
import type { DatabaseFailure, ServerHealth } from './health-state.ts';
import type { Cause } from './kind.ts';
import { LOSS_WORDS, type LostLines } from './lost-lines.repo.ts';
import { bytesText, countText, durationText, timeText } from './words.ts';

const GIB = 1024 ** 3;
/** Share of the disk, and bytes, below which space is short: the smaller one decides. */
const FREE_SHARE = 0.1;
const FREE_BYTES = GIB;
/** Space is no longer short when this many times as much is free. */
const ENOUGH_AGAIN = 1.25;
/** Time for which losses and failures of the database stay an alert after the last one. */
export const CALM_AFTER_MS = 5 * 60_000;
const DATABASE_AWAY_MS = 60_000;
const BACKUP_AGE_MS = 26 * 3_600_000;
/** Time for which a channel may fail. */
export const CHANNEL_FAILS_MS = 3_600_000;
const TOP = 5;

/** Cause of a disk without space; undefined where there is enough. */
export function diskCause(
  { freeBytes, totalBytes }: Awaited<ReturnType<ServerHealth['disk']>>,
  isOpen: boolean,
  nowMs: number,
): Cause | undefined {
  const limit = Math.min(totalBytes * FREE_SHARE, FREE_BYTES) * (isOpen ? ENOUGH_AGAIN : 1);
  if (freeBytes >= limit) return undefined;
  return {
    key: 'disk',
    title: `Disk almost full: ${bytesText(freeBytes)} of ${bytesText(totalBytes)} are free for the data of this server`,
    detail: {
      free_bytes: freeBytes,
      total_bytes: totalBytes,
      check: 'Make space on the disk of QUARTERDECK_DATA_DIR, or lower QUARTERDECK_ERRLOG_MAX_MB.',
    },
    sinceMs: nowMs,
  };
}

/** Cause of lost lines; undefined where none were lost. */
export function dropsCause(losses: readonly LostLines[]): Cause | undefined {
  const [first] = losses;
  if (first === undefined) return undefined;
  const lines = losses.reduce((sum, loss) => sum + loss.lines, 0);
  const stages = sumBy(losses, ({ stage }) => stage);
  const sources = sumBy(losses, ({ source }) => source).filter(({ name }) => name !== '');
  const why = LOSS_WORDS[stages[0]?.name as keyof typeof LOSS_WORDS];
  return {
    key: 'drops',
    title: `${countText(lines, 'log line')} lost within minutes, most because ${why}`,
    detail: { lines, stages, sources, check: 'GET /admin-api/log_server/ledger names who lost lines, and where.' },
    sinceMs: Math.min(...losses.map(({ fromMs }) => fromMs)),
  };
}

/** Cause of a database that was away for over a minute, or failed for as long; undefined where it was well. */
export function databaseCause(failures: readonly DatabaseFailure[], nowMs: number): Cause | undefined {
  const recent = failures.filter(({ untilMs }) => nowMs - untilMs < CALM_AFTER_MS);
  const [first] = recent;
  const last = recent.at(-1);
  const awayMs = recent.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0);
  if (first === undefined || last === undefined || awayMs < DATABASE_AWAY_MS) return undefined;
  const times = recent.length === 1 ? '' : `, in ${recent.length} parts`;
  return {
    key: 'database',
    title: `The database did not answer for ${durationText(awayMs)}${times}, until ${timeText(last.untilMs)}`,
    detail: {
      away_s: Math.round(awayMs / 1000),
      failures: recent.slice(-TOP).map(({ fromMs, untilMs, reason }) => ({
        from: fromMs / 1000,
        to: untilMs / 1000,
        reason,
      })),
      check: 'Look at the log of the database and of this server from that time: restarts, locks, a full disk.',
    },
    sinceMs: first.fromMs,
  };
}

/** Cause of missing backups; undefined where all is well. */
export function backupCause({ lastMs, error }: BackupState, startedMs: number, nowMs: number): Cause | undefined {
  const last = lastMs === undefined ? 'there is no good one' : `the last good one is of ${timeText(lastMs)}`;
  const check = 'The log of this server says why. Check the folder QUARTERDECK_BACKUP_DIR: its space and its owner.';
  const detail = { last: lastMs === undefined ? null : lastMs / 1000, check };
  if (error !== undefined) {
    const title = `The backup failed: ${error.message.replace(/\.$/, '')}; ${last}`;
    return { key: 'backup', title, detail: { ...detail, error: error.message }, sinceMs: error.sinceMs };
  }
  const dueMs = (lastMs ?? startedMs) + BACKUP_AGE_MS;
  if (nowMs < dueMs) return undefined;
  const title = `No backup for more than ${durationText(BACKUP_AGE_MS)}: ${last}`;
  return { key: 'backup', title, detail, sinceMs: dueMs };
}

/** Cause of damaged data; undefined where all that was checked is sound. */
export function damageCause({ segments, pages, pass }: Damage, nowMs: number): Cause | undefined {
  if (segments.length === 0 && pages.length === 0) return undefined;
  const [first] = segments;
  const title =
    first === undefined
      ? 'The database file is damaged: SQLite found faulty pages'
      : `Stored lines are damaged: ${countText(segments.length, 'segment')}, the first of ${timeText(first.from * 1000)}`;
  return {
    key: 'damage',
    title,
    detail: {
      segments: segments.slice(0, TOP),
      pages: pages.slice(0, TOP),
      check:
        segments.length > 0
          ? 'Check the disk. Stop the server and run quarterdeckd repair, which keeps what can be read, or restore a backup.'
          : 'Check the disk, and restore a backup: quarterdeckd repair rewrites lines alone.',
    },
    sinceMs: pass.startedMs === 0 ? nowMs : pass.startedMs,
  };
}

export const channelCause = ({ id, name, sinceMs }: FailingChannel): Cause => ({
  key: `channel:${id}`,
  title: `Channel "${name}" has delivered nothing since ${timeText(sinceMs)}`,
  detail: {
    webhook_id: id,
    name,
    failing_since: sinceMs / 1000,
    check: 'The deliveries of the channel have the answer of its receiver. Redeliver the dead ones when it works.',
  },
  sinceMs: sinceMs + CHANNEL_FAILS_MS,
});

/** Cause of a channel whose receiver is gone. */
export const goneCause = ({ id, name, sinceMs }: FailingChannel): Cause => ({
  key: `gone:${id}`,
  title: `Channel "${name}" is disabled since ${timeText(sinceMs)}: its receiver answered 410 (gone)`,
  detail: {
    webhook_id: id,
    name,
    check: 'Enter the new address of the receiver and enable the channel. Its deliveries say where the messages went.',
  },
  sinceMs,
});

/** Sums of lines by name, the largest first. */
function sumBy(losses: readonly LostLines[], nameOf: (loss: LostLines) => string) {
  const sums = new Map<string, number>();
  for (const loss of losses) sums.set(nameOf(loss), (sums.get(nameOf(loss)) ?? 0) + loss.lines);
  return [...sums]
    .map(([name, lines]) => ({ name, lines }))
    .sort((a, b) => b.lines - a.lines)
    .slice(0, TOP);
}
