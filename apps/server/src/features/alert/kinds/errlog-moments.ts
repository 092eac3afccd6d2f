// Kinds `errlog.new` and `errlog.regressed`: groups that appeared, or that happened again after they were resolved.
import { unixSeconds } from '@quarterdeck/core';
import {
  errlogStore,
  type Regressed,
  readAccess,
  type WatchedGroup,
  type WatchedGroups,
  watchedGroups,
} from '@quarterdeck/store';
import * as z from 'zod';
import {
  type Cause,
  type Episode,
  type Happened,
  type KindNeeds,
  type MomentKind,
  type Round,
  SINGLE_NOTIFICATIONS_MAX,
  TIME_OVER,
  type WatchingRule,
} from './kind.ts';
import { outageCauses } from './outage-hosts.ts';
import { detailOf, errorOf, placeOf, textOf } from './words.ts';

/** Groups of one step. */
const STEP = 1_000;
/** Groups of one round. A batch may bring 10,000 new ones. */
const GROUPS_MAX = 20_000;
/** Causes without a message whose texts are read. */
const SILENT_MAX = 100;
/** Episodes of a preview whose texts are read, the latest ones. */
const TITLED_MAX = 50;
/** Seconds for which a write with a regressed group may wait before it is seen. */
const LATE_S = 30;
/** Groups of these seconds that a position remembers at most. */
const SEEN_MAX = 2_000;

type MomentDeps = Pick<KindNeeds, 'db' | 'lineReads'>;

/** Reads of a round within the sources of a rule's author, whose searches of lines count for rules. */
export async function readsOf(
  { db, lineReads }: MomentDeps,
  { nowMs }: Round,
  { within }: Pick<WatchingRule, 'within'>,
): Promise<WatchedGroups> {
  const access = within === '' ? undefined : await readAccess(db, within);
  return watchedGroups({ db, lines: lineReads, credential: 'alerts', nowS: unixSeconds(nowMs), access });
}

/** A group, and when it appeared or regressed. */
interface Moment extends WatchedGroup {
  readonly timeMs: number;
}

/** Creates the parts that both kinds share. */
function moments(deps: MomentDeps, verb: string) {
  const store = errlogStore(deps.db);

  /** Causes of groups. Texts are read only of those that are notified one by one, or stored. */
  async function causesOf(round: Round, groups: readonly Moment[]): Promise<Omit<Happened, 'position'>> {
    const parents = await outageCauses(
      deps.db,
      round,
      groups.map(({ id, src, timeMs }) => ({ id, src, beganMs: timeMs })),
    );
    const isSilent = ({ id, state }: Moment) => state === 'muted' || parents.has(id);
    const notified = groups.filter((group) => !isSilent(group));
    const read = [...notified.slice(0, SINGLE_NOTIFICATIONS_MAX + 1), ...groups.filter(isSilent).slice(0, SILENT_MAX)];
    const entries = new Map((await store.groupsById(read.map(({ id }) => id))).map((entry) => [entry.id, entry]));
    const causes = read.flatMap(({ id, state, timeMs }): Cause[] => {
      const entry = entries.get(id);
      if (entry === undefined) return [];
      const title = `${verb} on ${placeOf(entry)}: ${textOf(entry)}`;
      const hidden = { parentCause: parents.get(id), silent: state === 'muted' };
      const detail = detailOf(entry);
      const about = { key: `group:${id}`, groups: [id], error: errorOf(detail) };
      return [{ ...about, title, detail, sinceMs: timeMs, ...hidden }];
    });
    return { causes, more: Math.max(0, notified.length - SINGLE_NOTIFICATIONS_MAX - 1) };
  }

  /** Episodes of groups, in the order of time. */
  async function episodesOf(groups: readonly Moment[]): Promise<Episode[]> {
    const sorted = [...groups].sort((a, b) => a.timeMs - b.timeMs);
    const entries = await store.groupsById(sorted.slice(-TITLED_MAX).map(({ id }) => id));
    const titles = new Map(entries.map((entry) => [entry.id, `${verb} on ${placeOf(entry)}: ${textOf(entry)}`]));
    return sorted.map(({ id, timeMs, state }) => ({
      key: `group:${id}`,
      title: titles.get(id) ?? `${verb}: group ${id}`,
      sinceMs: timeMs,
      untilMs: timeMs,
      silent: state === 'muted',
    }));
  }

  return { store, causesOf, episodesOf };
}

const NewPosition = z.object({ id: z.int(), seen: z.array(z.int()).default([]) });

/**
 * Kind `errlog.new`. Its position is the id of the last group. On PostgreSQL batches of several servers commit out of
 * the order of these ids: the position is the last id before which all have committed, with the groups found since.
 */
export function newErrors(deps: MomentDeps): MomentKind {
  const { store, causesOf, episodesOf } = moments(deps, 'New error');
  const isOrdered = deps.db.dialect === 'sqlite';

  const newestOf = (round: Round) => round.once('newest group', () => store.newestId());

  /** New groups that match a rule, until `max` groups; the id up to which they were looked at; all of their ids. */
  async function groupsAfter(
    round: Round,
    { filter, within }: WatchingRule,
    { id: after, seen }: z.infer<typeof NewPosition>,
    max: number,
  ) {
    const reads = await readsOf(deps, round, { within });
    const known = new Set(seen);
    const newest = await newestOf(round);
    const groups: Moment[] = [];
    const fresh: number[] = [];
    let at = after;
    for (let steps = 0; at < newest && steps * STEP < max && !round.stopped(); steps += 1) {
      const from = at;
      const all = await round.once(`groups after ${from}`, () => store.idsAfter(from, STEP));
      const ids = all.filter((id) => !known.has(id));
      const key = `groups after ${from} of ${filter} within ${within} but ${seen}`;
      const found = ids.length === 0 ? [] : await round.once(key, () => reads.among(filter, ids));
      groups.push(...found.map((group) => ({ ...group, timeMs: (group.arrived || group.firstSeen) * 1000 })));
      fresh.push(...ids);
      at = all.at(-1) ?? newest;
      await round.eventLoop.pause();
    }
    return { groups, at, newest, fresh };
  }

  /** The position after a round has looked at some groups up to an id. */
  async function positionAt(round: Round, at: number, ids: readonly number[]) {
    if (isOrdered) return { id: at };
    const settledS = unixSeconds(round.nowMs) - LATE_S;
    const last = await round.once(`group before ${settledS}`, () => store.idBefore(settledS));
    const late = ids.filter((id) => id > last && id <= at).sort((a, b) => a - b);
    const seen = late.slice(-SEEN_MAX);
    return { id: late.length > SEEN_MAX ? (seen[0] ?? at) - 1 : Math.min(last, at), seen };
  }

  return {
    ends: false,
    lasts: true,
    manyTitle: (count) => `${count} new errors at once`,
    start: async (round) => ({ id: await newestOf(round) }),
    async happened(round, rule, given) {
      const position = NewPosition.parse(given);
      const { groups, at, fresh } = await groupsAfter(round, rule, position, GROUPS_MAX);
      if (fresh.length === 0) return { causes: [], position: given };
      const next = await positionAt(round, at, [...position.seen, ...fresh]);
      // A rule never looks back behind its start.
      const bounded = { ...next, id: Math.max(next.id, position.id) };
      return { ...(await causesOf(round, groups)), position: bounded };
    },
    async replay(round, rule, fromMs) {
      const before = await store.idBefore(unixSeconds(fromMs));
      const from = { id: before, seen: [] };
      const { groups, at, newest } = await groupsAfter(round, rule, from, Number.POSITIVE_INFINITY);
      return { episodes: await episodesOf(groups), whyIncomplete: at < newest ? TIME_OVER : undefined };
    },
  };
}

const RegressedPosition = z.object({ fromS: z.int(), seen: z.array(z.string()) });

const keyOf = ({ id, since }: Regressed) => `${id}@${since}`;

/** Kind `errlog.regressed`. Its position is a time, and the groups that were found since then. */
export function regressedErrors(deps: MomentDeps): MomentKind {
  const { store, causesOf, episodesOf } = moments(deps, 'Regressed');

  async function momentsOf(round: Round, rule: WatchingRule, times: ReadonlyMap<number, number>): Promise<Moment[]> {
    if (times.size === 0) return [];
    const groups = await (await readsOf(deps, round, rule)).among(rule.filter, [...times.keys()]);
    return groups.map((group) => ({ ...group, timeMs: (times.get(group.id) ?? 0) * 1000 }));
  }

  return {
    ends: false,
    lasts: true,
    manyTitle: (count) => `${count} resolved errors happened again at once`,
    start: async ({ nowMs }) => {
      // The clock of a server that stores a regression may be behind.
      const fromS = unixSeconds(nowMs) - LATE_S;
      const before = await store.regressedSince(fromS, SEEN_MAX);
      return { fromS, seen: before.map(keyOf) };
    },
    async happened(round, rule, position) {
      const { fromS, seen } = RegressedPosition.parse(position);
      const found = await round.once(`regressed since ${fromS}`, () => store.regressedSince(fromS, GROUPS_MAX));
      const known = new Set(seen);
      const fresh = found.filter((group) => !known.has(keyOf(group)));
      if (fresh.length === 0) return { causes: [], position };
      const groups = await momentsOf(round, rule, new Map(fresh.map(({ id, since }) => [id, since])));
      // The write of a batch may commit a while after the time that it stores.
      const late = found.filter(({ since }) => since >= unixSeconds(round.nowMs) - LATE_S).slice(-SEEN_MAX);
      const lateS = unixSeconds(round.nowMs) - LATE_S;
      const nextS = Math.max(fromS, late.length < SEEN_MAX ? lateS : (late[0]?.since ?? lateS));
      return { ...(await causesOf(round, groups)), position: { fromS: nextS, seen: late.map(keyOf) } };
    },
    async replay(round, rule, fromMs) {
      const found = await store.regressedSince(unixSeconds(fromMs), GROUPS_MAX);
      const groups = await momentsOf(round, rule, new Map(found.map(({ id, since }) => [id, since])));
      const whyIncomplete = 'Groups whose state has changed since then are not counted.';
      return { episodes: await episodesOf(groups), whyIncomplete };
    },
  };
}
