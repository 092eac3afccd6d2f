// Writes states and notes of groups.
import type { ErrlogChange, ErrlogState } from '@quarterdeck/core';
import { type Dialect, statement, type Tx } from '@quarterdeck/core/db';
import { cached, inJson } from '@quarterdeck/core/sql';
import { statusFor } from '../tables/group-state.ts';
import { Counters } from './counters.ts';

/** A group before a change. */
export interface ChangedGroup {
  readonly id: number;
  readonly src: number;
  readonly app_id: number;
  readonly level: number;
  /** Empty is none, or not known. */
  readonly service: string;
  readonly state: ErrlogState;
  readonly until: string;
  readonly count: number;
  readonly note: string;
}

const GROUP =
  "SELECT id, src, app_id, level, coalesce(service, '') AS service, state, until, count, note FROM errlog WHERE";
const GROUPS = { sqlite: `${GROUP} ${inJson('sqlite', 'id')}`, postgresql: `${GROUP} ${inJson('postgresql', 'id')}` };
const SET_STATE = statement(
  'UPDATE errlog SET state = ?, state_since = ?, until = ?, until_time = ?, until_count = ? WHERE id = ?',
);
const SET_NOTE = statement('UPDATE errlog SET note = ? WHERE id = ?');

/** Reads groups as a change finds them; ids that do not exist are missing. */
export const groupsToChange = (tx: Tx, dialect: Dialect, ids: readonly number[]): Promise<ChangedGroup[]> =>
  tx.sql.all<ChangedGroup>(cached(GROUPS[dialect]), JSON.stringify(ids));

/** Changes groups and returns them as they were. `nowS` is in Unix seconds. */
export async function changeGroups(
  tx: Tx,
  dialect: Dialect,
  ids: readonly number[],
  { state, until, note }: ErrlogChange,
  nowS: number,
): Promise<ChangedGroup[]> {
  const groups = await groupsToChange(tx, dialect, ids);
  const counters = new Counters();
  for (const group of groups) {
    if (note !== undefined) await tx.sql.run(SET_NOTE, note, group.id);
    if (state === undefined) continue;
    const to = statusFor(state, until, group.count, nowS);
    await tx.sql.run(SET_STATE, to.state, to.state_since, to.until, to.until_time, to.until_count, group.id);
    const { src, app_id: appId, level, service } = group;
    const counted = { src, appId, level, service };
    counters.groups(counted, group.state, -1);
    counters.groups(counted, state, 1);
  }
  await counters.apply(tx);
  return groups;
}

const DUE = {
  new: statement("SELECT id FROM errlog WHERE state = 'new' AND state_since <= ? ORDER BY state_since LIMIT ?"),
  muted: statement('SELECT id FROM errlog WHERE until_time > 0 AND until_time <= ? ORDER BY until_time LIMIT ?'),
};

/** A state that ends with time. */
export type TimedState = keyof typeof DUE;

/**
 * Returns ids of groups whose state ends, the earliest first: groups new since `untilS` or before, or mutes that end
 * by then. `untilS` is in Unix seconds.
 */
export async function dueGroups(tx: Tx, state: TimedState, untilS: number, limit: number): Promise<number[]> {
  return (await tx.sql.all<{ id: number }>(DUE[state], untilS, limit)).map(({ id }) => id);
}
