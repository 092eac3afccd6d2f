// The slow pass over everything stored.
import type { Database } from '@quarterdeck/core/db';
import type { LineReads } from '../lines/line-reads.ts';
import { type DamageRecord, readDamage } from './damage-record.ts';

/** Time from the start of a pass to the start of the next one. */
const PASS_EVERY_MS = 7 * 24 * 3_600_000;
/** Time between two rounds of the pass. */
export const CHECK_EVERY_MS = 60_000;
/** Time of a round: a fiftieth of one core. */
const ROUND_MS = CHECK_EVERY_MS / 50;

interface CheckDeps {
  readonly db: Database;
  readonly lineReads: Pick<LineReads, 'check' | 'checkPages'>;
  readonly damage: DamageRecord;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Runs one round of the pass, and stores the damage that is known. `hold` tells whether this server has the task. */
export async function checkSome(
  { db, lineReads, damage, now }: CheckDeps,
  hold: () => Promise<boolean>,
  stopped: () => boolean,
  roundMs = ROUND_MS,
): Promise<void> {
  const { pass, segments } = await readDamage(db.read);
  const isNew = pass.position === null;
  if ((isNew && now() - pass.startedMs < PASS_EVERY_MS) || !(await hold())) {
    await damage.store();
    return;
  }
  const startedMs = isNew ? now() : pass.startedMs;
  const known = new Set(segments.map(({ id }) => id));
  const sound = new Set<number>();
  let position = pass.position ?? 0;
  for (const beganMs = performance.now(); performance.now() - beganMs < roundMs && !stopped(); ) {
    const id = await lineReads.check(position);
    if (id === undefined) {
      const pages = await lineReads.checkPages();
      await damage.store({ pages, pass: { startedMs, position: null } }, sound);
      return;
    }
    position = id;
    // A segment that is damaged again is noted by the check.
    if (known.has(id)) sound.add(id);
  }
  await damage.store({ pass: { startedMs, position } }, sound);
}
