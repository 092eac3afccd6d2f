// Rules of the kind `server.health`: disk, lost lines, database, backups and channels of this installation.

import type { Tx } from '@quarterdeck/core/db';
import { readDamage } from '@quarterdeck/store';
import { disabledChannels, failingChannels, readBackupState } from './health.repo.ts';
import {
  backupCause,
  CALM_AFTER_MS,
  CHANNEL_FAILS_MS,
  channelCause,
  damageCause,
  databaseCause,
  diskCause,
  dropsCause,
  goneCause,
} from './health-causes.ts';
import type { Cause, Episode, KindNeeds, LastingKind, Round } from './kind.ts';
import { type LostLines, readLostLines } from './lost-lines.repo.ts';

export function serverHealth(
  { health }: Pick<KindNeeds, 'health'>,
  stoppedCauses: (tx: Tx, nowMs: number) => Promise<Cause[]>,
): LastingKind {
  async function storedCauses({ read, nowMs }: Round): Promise<Cause[]> {
    const damage = damageCause(await readDamage(read), nowMs);
    const causes = [
      ...(damage === undefined ? [] : [damage]),
      ...(await failingChannels(read, nowMs - CHANNEL_FAILS_MS)).map(channelCause),
      ...(await disabledChannels(read)).map(goneCause),
      ...(await stoppedCauses(read, nowMs)),
    ];
    const backup = health.makesBackups ? backupCause(await readBackupState(read), health.startedMs, nowMs) : undefined;
    return backup === undefined ? causes : [backup, ...causes];
  }

  return {
    ends: true,

    async active(round, _rule, open) {
      const { read, nowMs } = round;
      const causes = [
        diskCause(await round.once('disk', health.disk), open.has('disk'), nowMs),
        databaseCause(health.databaseFailures(), nowMs),
        dropsCause(await round.once('drops', () => readLostLines(read, nowMs - CALM_AFTER_MS))),
        ...(await round.once('health', () => storedCauses(round))),
      ];
      return { causes: causes.filter((cause) => cause !== undefined) };
    },

    async replay(round, _rule, fromMs) {
      const { read, nowMs } = round;
      const drops = dropEpisodes(await readLostLines(read, fromMs), nowMs);
      const database = databaseCause(health.databaseFailures(), nowMs);
      const lasting = [...(await storedCauses(round)), ...(database === undefined ? [] : [database])];
      return {
        episodes: [...drops, ...lasting.map((cause) => ({ ...cause, untilMs: null }))],
        whyIncomplete:
          'Only lost lines are stored; of the disk, the database, backups and channels, the present state.',
      };
    },
  };
}

/** Losses as episodes: those that are no more than the calm apart belong together. */
function dropEpisodes(losses: readonly LostLines[], nowMs: number): Episode[] {
  const groups: LostLines[][] = [];
  for (const loss of losses) {
    const last = groups.at(-1);
    const endMs = last?.at(-1)?.untilMs ?? Number.NEGATIVE_INFINITY;
    if (last !== undefined && loss.fromMs - endMs <= CALM_AFTER_MS) last.push(loss);
    else groups.push([loss]);
  }
  return groups.flatMap((group) => {
    const cause = dropsCause(group);
    const untilMs = Math.max(...group.map((loss) => loss.untilMs)) + CALM_AFTER_MS;
    return cause === undefined ? [] : [{ ...cause, untilMs: untilMs > nowMs ? null : untilMs }];
  });
}
