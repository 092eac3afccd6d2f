// The rounds of alerts: evaluates the rules, and stores what changed together with its messages.
import { type AlertKind, MESSAGE_LINES } from '@quarterdeck/core';
import { DatabaseError } from '@quarterdeck/core/db';
import { countErasures, createLease, holdErasures } from '@quarterdeck/core/sql';
import { type Author, readAuthors, showsAgentsTo } from '../../auth/author.repo.ts';
import { lastNotified, openAlerts, outageAlerts } from './alert.repo.ts';
import { boundedEvidence } from './alert-message.ts';
import { type Evidence, evidenceOf, type Subject } from './evidence/evidence.ts';
import { type Cause, createRound, type Kind, type Kinds, type Round, startOf } from './kinds/kind.ts';
import { createLookAgain } from './look-again.ts';
import { createMoments } from './moments.ts';
import type { AlertNeeds } from './needs.ts';
import { isIdle, type OpenAlert, type Plan, planActive } from './plan.ts';
import { allRules, comesFirst, type MovedRule, moveRules, type RuleRow, toWatchingRule } from './rule.repo.ts';
import { readStops } from './rule-rights.ts';
import { type Outcome, storeOutcomes } from './store-outcomes.ts';

/** Time for which a server has the task without a further round. */
const LEASE_MS = 30_000;
/** Rules that take less are evaluated in every round. */
const QUICK_MS = 20;
/** Time in a round for the other rules, the one that waits longest first. */
const SLOW_WORK_MS = 1_000;
/** Rules that are evaluated at the same time on PostgreSQL. */
const AT_ONCE = 16;
/** Time between two log lines about failures. */
const LOG_EVERY_MS = 60_000;
/** Time for the evidence of the messages of one write. What is left is looked at later. */
const EVIDENCE_MS = 500;

/** Numbers of the rounds of this server. */
export interface AlertStats {
  readonly rounds: number;
  /** Evaluations of rules that failed. */
  readonly failures: number;
  readonly fired: number;
  readonly resolved: number;
  /** Duration of the last round. */
  readonly lastRoundMs: number;
}

export interface AlertRounds {
  /**
   * Evaluates the rules once, after the rounds that run, unless another server does. Rules that take long get
   * `slowWorkMs` together.
   */
  run(stopped: () => boolean, slowWorkMs?: number): Promise<void>;
  stats(): AlertStats;
  /** Lets another server go on at once. */
  close(): Promise<void>;
}

export type RoundDeps = Pick<AlertNeeds, 'db' | 'events' | 'lineReads' | 'log' | 'now' | 'publicUrl'>;

export function createAlertRounds(deps: RoundDeps, kinds: Kinds): AlertRounds {
  const { db, log, now } = deps;
  const lease = createLease(db, 'alerts', LEASE_MS, now);
  const moments = createMoments(db);
  // Reads of PostgreSQL that begin together share round trips. SQLite answers in this thread, one after the other.
  const atOnce = db.dialect === 'postgresql' ? AT_ONCE : 1;
  const lookAgain = createLookAgain(deps);
  const stats = { rounds: 0, failures: 0, fired: 0, resolved: 0, lastRoundMs: 0 };
  const lastLogMs = new Map<number, number>();
  /** Duration of the last evaluation of a rule, and the number of the round. */
  const costs = new Map<number, { readonly ms: number; readonly round: number }>();

  /**
   * Rules in portions, each of which is stored before the next one is evaluated: those under which others are grouped,
   * the quick ones, then slow ones until their time in this round is used up.
   */
  function* portions(rules: readonly RuleRow[], slowWorkMs: number): Generator<readonly RuleRow[]> {
    const isQuick = (rule: RuleRow) => comesFirst(rule) || (costs.get(rule.id)?.ms ?? 0) < QUICK_MS;
    const roundOf = ({ id }: RuleRow) => costs.get(id)?.round ?? 0;
    // Chosen before any is evaluated: a quick one that turns out slow is not evaluated again.
    const slow = rules.filter((one) => !isQuick(one)).sort((a, b) => roundOf(a) - roundOf(b));
    const quick = rules.filter(isQuick);
    yield quick.filter(comesFirst);
    yield quick.filter((rule) => !comesFirst(rule));
    const endMs = performance.now() + slowWorkMs;
    for (const rule of slow) {
      if (performance.now() > endMs) return;
      yield [rule];
    }
  }

  /** Evaluates a rule. Adds it to `moved` where it found nothing to store but a new state. */
  async function evaluate(
    rule: RuleRow,
    round: Round,
    { openOf, lasting, isStopped, within }: Present,
    moved: MovedRule[],
  ): Promise<Found | undefined> {
    const kind = kinds[rule.kind as AlertKind];
    const open = openOf.get(rule.id) ?? [];
    const found =
      rule.enabled && !isStopped ? await outcomeOf(rule, kind, round, open, { lasting, within }) : endAll(rule, open);
    const { position } = isStopped && !kind.ends ? { position: await startOf(kind, round) } : (found ?? rule);
    const stoppedMs = isStopped ? Number(rule.stoppedMs) || round.nowMs : 0;
    const plan = found?.plan ?? IDLE;
    if (isIdle(plan)) {
      const isMoved = position !== rule.position || stoppedMs !== Number(rule.stoppedMs);
      if (isMoved) moved.push({ rule, position, stoppedMs });
      return undefined;
    }
    return { rule, plan, position, stoppedMs, quiet: found?.quiet ?? true, open, within };
  }

  async function outcomeOf(
    rule: RuleRow,
    kind: Kind,
    round: Round,
    open: readonly OpenAlert[],
    { lasting, within }: Pick<Present, 'lasting' | 'within'>,
  ) {
    const { nowMs } = round;
    const isFirst = rule.position === '';
    const othersOf = async (causes: readonly Cause[], known: ReadonlySet<string>) => {
      const hasParent = causes.some(({ parentCause }) => parentCause !== undefined);
      const keys = causes.flatMap(({ key }) => (known.has(key) ? [] : key));
      return {
        nowMs,
        parents: hasParent ? await outageAlerts(db.read) : new Map<string, number>(),
        lasting,
        notifiedMs: await lastNotified(db.read, rule.id, keys),
      };
    };
    if (kind.ends) {
      const known = new Set(open.map(({ key }) => key));
      const active = await kind.active(round, toWatchingRule(rule, within), known);
      if (active === undefined) return undefined;
      const plan = planActive(rule, active, open, await othersOf(active.causes, known));
      const position = isIdle(plan) && !isFirst ? rule.position : String(Number(rule.position) + 1);
      return { plan, position, quiet: isFirst };
    }
    if (isFirst) return { ...endAll(rule, open), position: await startOf(kind, round) };
    const happened = await kind.happened(round, toWatchingRule(rule, within), JSON.parse(rule.position));
    const known = await othersOf(happened.causes, new Set());
    const plan = await moments.plan(rule, kind, happened, open, known);
    return { plan, position: JSON.stringify(happened.position), quiet: false };
  }

  /** Reads what is known about the alerts of a portion that get a message, until the time for it is used up. */
  async function withEvidence(portion: readonly Found[], authorOf: (rule: RuleRow) => Author): Promise<Outcome[]> {
    const endMs = performance.now() + EVIDENCE_MS;
    const outcomes: Outcome[] = [];
    for (const { open, ...found } of portion) {
      const { rule, plan } = found;
      const showsAgents = showsAgentsTo(authorOf(rule));
      const evidence = new Map<string, Evidence>();
      for (const { subject, key, isEnd } of subjectsOf(plan, open, now())) {
        if (subject.groups.length === 0 || performance.now() > endMs) continue;
        const extent = isEnd ? END : { lines: MESSAGE_LINES, showsAgents };
        const known = boundedEvidence(await evidenceOf(deps, { ...subject, publicUrl: deps.publicUrl }, extent));
        evidence.set(key, isEnd ? { ...known, cause: null } : known);
      }
      outcomes.push({ ...found, evidence });
    }
    return outcomes;
  }

  async function storePortion(portion: readonly Found[], erasures: number, authorOf: (rule: RuleRow) => Author) {
    const outcomes = await withEvidence(portion, authorOf);
    const notified = await db.write(async (tx) => {
      // Their texts may be erased ones.
      if ((await holdErasures(tx)) !== erasures) return undefined;
      return storeOutcomes(tx, outcomes, deps, now());
    });
    stats.fired += notified?.fired ?? 0;
    stats.resolved += notified?.resolved ?? 0;
  }

  /** Stores what was found; where that fails, what each rule has found alone: one of them may never be stored. */
  async function storeFound(found: readonly Found[], erasures: number, authorOf: (rule: RuleRow) => Author) {
    const [first, ...others] = found;
    if (first === undefined) return;
    try {
      await storePortion(found, erasures, authorOf);
    } catch (error) {
      const isAway = error instanceof DatabaseError && error.kind === 'unavailable';
      if (others.length === 0 || isAway) note(first.rule.id, first.rule.kind, error);
      else for (const one of found) await storeFound([one], erasures, authorOf);
    }
  }

  /** Logs a failure, of a rule once a minute at most. */
  function note(id: number, kind: string, error: unknown): void {
    stats.failures += 1;
    const nowMs = now();
    if (Math.abs(nowMs - (lastLogMs.get(id) ?? 0)) < LOG_EVERY_MS) return;
    lastLogMs.set(id, nowMs);
    log.warn({ err: error, rule: id, kind }, 'evaluating a rule of alerts failed');
  }

  async function runOnce(stopped: () => boolean, slowWorkMs: number): Promise<void> {
    if (!(await lease.hold())) return;
    const beganMs = performance.now();
    stats.rounds += 1;
    const erasures = await countErasures(db.read);
    const openOf = await openAlerts(db.read);
    const lasting = new Set([...openOf.values()].flat().map(({ id }) => id));
    const all = await allRules(db.read);
    const rules = all.filter(({ id, enabled }) => enabled || openOf.has(id));
    const round = createRound(db.read, now(), stopped);
    const whyOf = await readStops(db.read, rules);
    const authorOf = await readAuthors(db.read, all);
    const moved: MovedRule[] = [];
    for (const portion of portions(rules, slowWorkMs)) {
      const found: Found[] = [];
      const evaluateOne = async (rule: RuleRow, _at: number, together: readonly RuleRow[]) => {
        if (stopped()) return undefined;
        const startMs = performance.now();
        try {
          const within = authorOf(rule).errlogFilter;
          const present = { openOf, lasting, isStopped: whyOf(rule) !== undefined, within };
          return await evaluate(rule, round, present, moved);
        } catch (error) {
          note(rule.id, rule.kind, error);
          return undefined;
        } finally {
          costs.set(rule.id, { ms: (performance.now() - startMs) / together.length, round: stats.rounds });
          await round.eventLoop.pause();
        }
      };
      for (let at = 0; at < portion.length; at += atOnce) {
        const results = await Promise.all(portion.slice(at, at + atOnce).map(evaluateOne));
        found.push(...results.filter((one) => one !== undefined));
      }
      await storeFound(found, erasures, authorOf);
    }
    if (moved.length > 0) await db.write((tx) => moveRules(tx, moved));
    if (!stopped()) await lookAgain(all, authorOf);
    stats.lastRoundMs = performance.now() - beganMs;
  }

  let last = Promise.resolve();

  return {
    run(stopped, slowWorkMs = SLOW_WORK_MS) {
      const run = last.then(() => runOnce(stopped, slowWorkMs));
      last = run.catch(() => undefined);
      return run;
    },
    stats: () => ({ ...stats }),
    // Without a database the lease runs out by itself.
    close: () => lease.release().catch(() => undefined),
  };
}

/** State of a rule beside its row. */
interface Present {
  /** Rule -> its alerts that have not ended. */
  readonly openOf: ReadonlyMap<number, readonly OpenAlert[]>;
  /** Ids of all alerts that have not ended. */
  readonly lasting: ReadonlySet<number>;
  /** Its author has lost a right: what happens meanwhile is past for it. */
  readonly isStopped: boolean;
  /** Sources that its author may see; empty is all. */
  readonly within: string;
}

/** Findings of a round about a rule. */
interface Found extends Omit<Outcome, 'evidence'> {
  readonly open: readonly OpenAlert[];
}

const IDLE: Plan = { added: [], fired: [], grown: [], ended: [] };

/** An end has no suspects: they were named when the alert fired. */
const END = { lines: 0, showsAgents: false } as const;

/** Alerts of a plan that get a message, as the subject of evidence. */
function subjectsOf(plan: Plan, open: readonly OpenAlert[], nowMs: number) {
  const of = new Map(open.map((alert) => [alert.id, alert]));
  const subjectOf = (
    groups: readonly number[],
    sinceMs: number,
    detail: Subject['detail'],
  ): Omit<Subject, 'publicUrl'> => ({ groups, sinceS: sinceMs / 1000, detail, firedMs: nowMs, looks: 0 });
  const begun = (cause: Cause) => subjectOf(cause.groups ?? [], cause.sinceMs, cause.detail);
  return [
    ...plan.added.flatMap((alert) => (alert.notify ? { key: alert.key, subject: begun(alert), isEnd: false } : [])),
    ...plan.fired.flatMap(({ id, cause, notify }) => {
      const sinceMs = of.get(id)?.sinceMs ?? cause.sinceMs;
      return notify ? { key: cause.key, subject: begun({ ...cause, sinceMs }), isEnd: false } : [];
    }),
    ...plan.ended.flatMap((alert) => {
      const { key, messages, sinceMs } = alert;
      const groups = JSON.parse(alert.groups) as number[];
      return messages > 0 ? { key, subject: subjectOf(groups, sinceMs, {}), isEnd: true } : [];
    }),
  ];
}

/** Ends all alerts of a rule that is disabled, has stopped, or had another kind, without messages. */
const endAll = (rule: RuleRow, open: readonly OpenAlert[]) => ({
  plan: { ...IDLE, ended: open },
  position: rule.position,
  quiet: true,
});
