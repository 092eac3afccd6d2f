// Every few seconds: who went silent, one by one or many together, and who of many is back.
import type { Tx } from '@quarterdeck/core/db';
import type { Deps } from '../../deps.ts';
import { addLost, openOutages } from '../outage/outage.repo.ts';
import { followOutages, outageFor, type Silence } from '../outage/outage.watch.ts';
import { tellOf } from './agent.announce.ts';
import { type HistoryEntry, recordHistory } from './agent.history.ts';
import {
  declareLost,
  isAnyAhead,
  lockOverdue,
  lockSweep,
  lookAround,
  type OverdueRow,
  setBack,
  silenceOf,
} from './agent.sweep.repo.ts';
import type { Moment } from './listening-window.ts';

/** Agents in one write, so that it holds nobody up. */
const SLICE = 250;

/** Looks at all agents once. It is told to look now and then whether it should stop. */
export type Sweep = (stopped: () => boolean) => Promise<void>;

/** Makes the look at the agents. */
export function agentSweep({ db, events, listeningWindow }: Pick<Deps, 'db' | 'events' | 'listeningWindow'>): Sweep {
  /** Agents that were online before the server was away, at the last look, and have not reported. */
  let waited = 0;

  /** Declares some lost; returns how many, and the outage they belong to. */
  async function loseSome(tx: Tx, silence: Silence, moment: Moment) {
    const { nowMs } = moment;
    await lockSweep(tx);
    const rows = await lockOverdue(tx, moment, SLICE);
    const alarms = rows.filter(({ state, maintenance }) => state === 'online' && maintenance === 0);
    const outageId = alarms.length === 0 ? 0 : await outageFor(tx, silence, nowMs);
    await declareLost(tx, idsOf(rows), outageId, nowMs);
    await recordHistory(tx, rows.map(lossOf), nowMs);
    if (outageId > 0) await addLost(tx, outageId, alarms.length);
    const toldAs = ({ state, maintenance }: OverdueRow) => {
      if (maintenance === 1) return 'agent.changed';
      return state === 'online' && outageId > 0 ? undefined : 'agent.offline';
    };
    for (const type of ['agent.offline', 'agent.changed'] as const) {
      await tellOf(tx, events, type, idsOf(rows.filter((row) => toldAs(row) === type)), moment);
    }
    return { count: rows.length, outageId };
  }

  return async (stopped) => {
    const moment = listeningWindow.moment();
    const { nowMs } = moment;
    while (!stopped() && (await isAnyAhead(db.read, nowMs))) await db.write((tx) => setBack(tx, nowMs, SLICE));

    const look = await lookAround(db.read, moment);
    if (look.waits !== waited) {
      await db.write((tx) =>
        events.publish(tx, [{ type: 'resync', data: { reason: 'server_restarted', of: 'agent' } }]),
      );
    }
    waited = look.waits;

    const grown = new Set<number>();
    const silence = look.overdue === 0 ? undefined : await silenceOf(db.read, look);
    for (let count = SLICE; silence !== undefined && count === SLICE && !stopped(); ) {
      const lost = await db.write((tx) => loseSome(tx, silence, moment));
      if (lost.outageId > 0) grown.add(lost.outageId);
      count = lost.count;
    }

    if ((await openOutages(db.read)).length > 0) {
      await db.write(async (tx) => {
        await lockSweep(tx);
        await followOutages(tx, events, grown, nowMs);
      });
    }
    listeningWindow.kept();
  };
}

const idsOf = (rows: readonly OverdueRow[]) => rows.map(({ id }) => id);

const lossOf = ({ id, state }: OverdueRow): HistoryEntry => ({
  agentId: id,
  kind: 'offline',
  field: state === 'online' ? 'lost' : 'never_reported',
});
