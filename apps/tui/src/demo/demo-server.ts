// `quarterdeck --demo`: a demo fleet behind the fetch of the real SDK. Nothing leaves this process.

import type { ErrlogEntry } from '@quarterdeck/sdk';
import { createFake, type Fake } from '@quarterdeck/sdk/testing';
import { answerAccount } from './account-answers.ts';
import { answerAgents } from './agent-answers.ts';
import { addHistoryEntry, stepStory } from './agent-story.ts';
import { isInOutage } from './agents.ts';
import { answerAlertInstances, answerAlerts } from './alert-answers.ts';
import { answerChanges } from './change-answers.ts';
import { answerErrlog, answerGrouping } from './errlog-answers.ts';
import { groupKey, makeEntry, makeFleet } from './fleet.ts';
import { answerFleet } from './fleet-answers.ts';
import type { Fleet } from './fleet-state.ts';
import { answerLines } from './line-answers.ts';
import { newestLine } from './line-rows.ts';
import { createRandom, type Random } from './random.ts';
import { nextId } from './rows.ts';
import { STORIES } from './stories.ts';

export interface Demo {
  readonly fetch: typeof fetch;
  /** Advances the demo by one step, as the timer does. */
  readonly tick: () => void;
}

/** Lines that the demo keeps. */
const LINES_MAX = 10_000;

export interface DemoOptions {
  readonly now?: () => number;
  readonly seed?: number;
  /** Interval of steps, milliseconds; 0: no timer. */
  readonly everyMs?: number;
}

/** Share of the steps in which the error of the first story happens again. */
const STORY_SHARE = 0.5;

/** An error happens, known or new. The error of the first story stays near the top: all others arrive a bit late. */
function stepErrlog(fleet: Fleet, random: Random, nowS: number, fake: Fake): void {
  const { emit } = fake;
  const isStory = random.chance(STORY_SHARE);
  const atS = isStory ? nowS : nowS - random.whole(2, 5);
  const drawn = makeEntry(random, nextId(fleet.errlog), atS);
  const known = isStory
    ? fleet.errlog.find(({ fingerprint }) => fingerprint === STORIES[0]?.fingerprint)
    : fleet.errlog.find((entry) => groupKey(entry) === groupKey(drawn));
  if (known === undefined) {
    fleet.errlog = [drawn, ...fleet.errlog];
    emit('errlog.new', drawn);
    addLine(fleet, random, drawn, fake);
    return;
  }
  const { count, log_time: last } = known;
  const repeated = { ...known, count: count + random.whole(1, 9), log_time: Math.max(last, atS) };
  fleet.errlog = [repeated, ...fleet.errlog.filter(({ id }) => id !== known.id)];
  emit('errlog.repeated', repeated);
  addLine(fleet, random, repeated, fake);
}

/** Stores the newest line of a group, and sends it to who follows the lines. */
function addLine(fleet: Fleet, random: Random, entry: ErrlogEntry, { emit }: Fake): void {
  const line = newestLine(entry, fleet.lines, random);
  fleet.lines = [line, ...fleet.lines].slice(0, LINES_MAX);
  emit('line', line);
}

/** An agent goes silent, or returns. */
function stepAgents(fleet: Fleet, random: Random, nowS: number, { emit }: Fake): void {
  const agent = random.pick(
    fleet.agents.filter((one) => (one.state === 'online' || one.state === 'offline') && !isInOutage(one)),
  );
  const online = !agent.online;
  const state = online ? 'online' : 'offline';
  const reason = online ? 'reporting' : 'lost';
  const reported = online ? { last_reported: nowS } : {};
  const changed = { ...agent, online, state, reason, state_since: nowS, ...reported } as const;
  fleet.agents = fleet.agents.map((one) => (one.id === agent.id ? changed : one));
  addHistoryEntry(fleet, agent.id, state, nowS, { field: reason, from: agent.state ?? '', to: state });
  emit(`agent.${state}`, changed);
}

/** Creates the fleet and its server. */
export function createDemo({ now = Date.now, seed = 7, everyMs = 900 }: DemoOptions = {}): Demo {
  const random = createRandom(seed);
  const fleet = makeFleet(random, now());
  const fake = createFake({ now });
  answerFrom(fleet, fake, now);

  const tick = (): void => {
    const nowS = Math.floor(now() / 1000);
    stepErrlog(fleet, random, nowS, fake);
    fleet.agents = fleet.agents.map((agent) =>
      agent.online && nowS - agent.last_reported >= 30 ? { ...agent, last_reported: nowS - random.whole(0, 4) } : agent,
    );
    stepStory(fleet, random, nowS, fake.emit);
    if (random.chance(0.02)) stepAgents(fleet, random, nowS, fake);
  };
  if (everyMs > 0) {
    // The timer must not keep the process alive.
    setInterval(() => fake.openStreams > 0 && tick(), everyMs).unref();
  }
  return { tick, fetch: fake.fetch };
}

/** Answers from a fleet, which requests change. */
export function answerFrom(fleet: Fleet, fake: Fake, now: () => number): void {
  for (const answer of [
    answerErrlog,
    answerGrouping,
    answerLines,
    answerChanges,
    answerAgents,
    answerFleet,
    answerAccount,
    answerAlerts,
    answerAlertInstances,
  ])
    answer(fake, fleet, now);
}
