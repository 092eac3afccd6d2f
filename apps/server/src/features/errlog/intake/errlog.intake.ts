// From lines to groups. Batches that arrive while one is being made durable are stored together with the next: a flood
// of repeats is then a few hundred groups to write, however many lines it has, and one sync of the disk.
import { AppError, unixSeconds } from '@quarterdeck/core';
import { DatabaseError, type Door } from '@quarterdeck/core/db';
import type { LogLine } from '@quarterdeck/core/lines';
import type { Deps } from '../../../deps.ts';
import type { IntakeStats } from '../../../metrics.ts';
import { fingerprint } from '../fingerprint/fingerprint.ts';
import { type GroupBatch, lockGroups, type StoredBatch } from './errlog.batch.ts';
import { createQuota } from './errlog.quota.ts';
import { claimReceipt, type Receipt } from './errlog.receipts.ts';
import { storeBatch } from './errlog.store.ts';
import type { Occurrence } from './occurrence-chunk.ts';
import { unreadableFields } from './occurrence-fields.ts';
import { createSources, type Sender } from './source.repo.ts';

/** A line with who sent it. */
export interface SentLine {
  readonly line: LogLine;
  readonly sender: Sender;
}

/** Lines that may be on their way to the database at once; beyond, the sender is asked to wait. */
const IN_FLIGHT_MAX = 100_000;
/** Lines of one write. More would keep readers waiting for longer than they gain. */
const WRITE_LINES = 4_000;

/** Takes lines in. */
export interface Intake {
  /**
   * Stores lines; resolves when they are durable: with false where the receipt had been given before, and nothing was
   * stored.
   *
   * @throws AppError `overloaded` where too many lines are already on their way, `quota_exceeded` where a source has
   *   sent more than it may
   */
  store(lines: readonly SentLine[], receipt?: Receipt): Promise<boolean>;
  stats(): IntakeStats;
}

interface Batch {
  readonly lines: readonly SentLine[];
  readonly receipt: Receipt | undefined;
  readonly resolve: (stored: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** An intake. `onStored` is told of every batch that is durable. */
export function createIntake({ db, now, sourceQuota }: Deps, onStored: (batch: StoredBatch) => void): Intake {
  const takeQuota = createQuota(sourceQuota, now);
  const sourceId = createSources(db, now);
  let waiting: Batch[] = [];
  let inFlight = 0;
  let running = false;
  let [stored, writes, turnedAway] = [0, 0, 0];

  /** The next batches that fit into one write, at least one. */
  function take(): Batch[] {
    let lines = 0;
    let n = 0;
    while (n < waiting.length && (n === 0 || lines + (waiting[n] as Batch).lines.length <= WRITE_LINES)) {
      lines += (waiting[n] as Batch).lines.length;
      n += 1;
    }
    const taken = waiting.slice(0, n);
    waiting = waiting.slice(n);
    return taken;
  }

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batches = take();
      try {
        await storeTogether(batches);
      } catch (error) {
        // What the database says of itself holds for each of them. Anything else may be the fault of one.
        if (batches.length === 1 || error instanceof DatabaseError) for (const { reject } of batches) reject(error);
        else for (const batch of batches) await storeTogether([batch]).catch(batch.reject);
      }
    }
    running = false;
  }

  async function storeTogether(batches: readonly Batch[]): Promise<void> {
    const ids = await sourceIds(batches);
    const all = groupLines(batches, ids);
    const write = async (tx: Door) => {
      const fresh = await claimReceipts(tx, batches);
      const groups = fresh.length === batches.length ? all : groupLines(fresh, ids);
      return { fresh, batch: await storeBatch(tx, db.dialect, groups, unixSeconds(now())) };
    };
    // Bulk: on a disk that fills up, lines are refused before sign-ins are.
    const { fresh, batch } = await db.write(write, { bulk: true });
    onStored(batch);
    writes += 1;
    for (const { lines } of fresh) stored += lines.length;
    for (const one of batches) one.resolve(fresh.includes(one));
  }

  async function claimReceipts(tx: Door, batches: readonly Batch[]): Promise<readonly Batch[]> {
    if (batches.every(({ receipt }) => receipt === undefined)) return batches;
    await lockGroups(tx, db.dialect);
    const fresh: Batch[] = [];
    for (const batch of batches) {
      if (batch.receipt === undefined || (await claimReceipt(tx, batch.receipt))) fresh.push(batch);
    }
    return fresh;
  }

  async function sourceIds(batches: readonly Batch[]): Promise<Map<Sender, number>> {
    const ids = new Map<Sender, number>();
    for (const { lines } of batches) {
      for (const { sender } of lines) if (!ids.has(sender)) ids.set(sender, await sourceId(sender));
    }
    return ids;
  }

  return {
    async store(lines, receipt) {
      if (lines.length === 0) return true;
      try {
        if (inFlight + lines.length > IN_FLIGHT_MAX) throw new AppError('overloaded');
        takeQuota(lines);
      } catch (error) {
        turnedAway += lines.length;
        throw error;
      }
      inFlight += lines.length;
      try {
        return await new Promise<boolean>((resolve, reject) => {
          waiting.push({ lines, receipt, resolve, reject });
          if (!running) void run();
        });
      } finally {
        inFlight -= lines.length;
      }
    },
    stats: () => ({ stored, writes, inFlight, turnedAway }),
  };
}

/** Puts the lines of equal errors of one source together. */
function groupLines(batches: readonly Pick<Batch, 'lines'>[], ids: ReadonlyMap<Sender, number>): GroupBatch[] {
  const groups = new Map<string, GroupBatch>();
  for (const { lines } of batches) {
    for (const { line, sender } of lines) {
      const src = ids.get(sender) ?? 0;
      const print = fingerprint(line.log);
      const key = `${src},${line.appId},${line.level},${print}`;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, newGroup(line, sender, src, print));
      else addLine(known, line);
    }
  }
  return [...groups.values()];
}

const newGroup = (line: LogLine, sender: Sender, src: number, print: string): GroupBatch => ({
  src,
  nodeType: sender.nodeType,
  appId: line.appId,
  level: line.level,
  fingerprint: print,
  count: line.count,
  firstSeen: line.logTime,
  logTime: line.logTime,
  log: line.log,
  occurrences: [occurrenceOf(line)],
});

const occurrenceOf = (line: LogLine): Occurrence => ({
  time: line.logTime,
  reqId: line.reqId,
  count: line.count,
  log: line.log,
  fields: line.fields === undefined ? undefined : unreadableFields(line.fields, line.log),
});

/** An occurrence that differs from the one before in nothing is counted there. */
const isSame = (last: Occurrence | undefined, line: LogLine): last is Occurrence =>
  last !== undefined &&
  last.log === line.log &&
  last.time === line.logTime &&
  last.reqId === line.reqId &&
  last.fields === undefined &&
  line.fields === undefined;

function addLine(group: GroupBatch, line: LogLine): void {
  group.count += line.count;
  const last = group.occurrences.at(-1);
  if (isSame(last, line)) {
    group.occurrences[group.occurrences.length - 1] = { ...last, count: last.count + line.count };
  } else {
    group.occurrences.push(occurrenceOf(line));
  }
  if (line.logTime < group.firstSeen) group.firstSeen = line.logTime;
  if (line.logTime >= group.logTime) {
    group.logTime = line.logTime;
    group.log = line.log;
  }
}
