// The rounds of alerts: evaluates the rules, and stores what changed together with its messages.
import type { Alert, AlertKind } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { countErasures, holdErasures } from '../../sql/erasures.repo.ts';
import { createLease } from '../../sql/lease.ts';
import { queueMessages } from '../webhook/queue-messages.ts';
import {
  type AlertRow,
  countUnder,
  endAlert,
  endQuietly,
  fireAlert,
  insertAlert,
  insertUntold,
  lastTold,
  openAlerts,
  outageAlerts,
  rulesWithOpen,
  tellAlert,
  toAlert,
} from './alert.repo.ts';
import { createRound } from './kinds/create-round.ts';
import { type Cause, type Kind, type Kinds, type Round, startOf } from './kinds/kind.ts';
import type { AlertNeeds } from './needs.ts';
import { isIdle, type OpenAlert, type Plan, planActive, planHappened } from './plan.ts';
import {
  allRules,
  channelsOf,
  comesFirst,
  lockRule,
  type MovedRule,
  moveRules,
  type RoundState,
  type RuleRow,
  saveRound,
  toWatchingRule,
} from './rule.repo.ts';
import { readStops } from './rule-rights.ts';
import { shownTitle } from './shown-title.ts';

/** Time for which a server has the task without a further round. */
const LEASE_MS = 30_000;
/** Rules that take less are evaluated in every round. */
const QUICK_MS = 20;
/** Time in a round for the other rules, the one that waits longest first. */
const SLOW_WORK_MS = 1_000;
/** Time between two log lines about failures. */
const LOG_EVERY_MS = 60_000;
/** Largest detail of a cause as JSON. */
const DETAIL_MAX = 16_384;

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

/** The rounds of alerts. */
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

/** Changes of the alerts and of the state of a rule in a round. */
interface Outcome extends RoundState {
  readonly plan: Plan;
  /** Ends are not told: the rule was changed. */
  readonly quiet: boolean;
}

type RoundDeps = Pick<AlertNeeds, 'db' | 'events' | 'log' | 'now' | 'publicUrl'>;

/** Creates the rounds. */
export function createAlertRounds(deps: RoundDeps, kinds: Kinds): AlertRounds {
  const { db, events, log, now, publicUrl } = deps;
  const lease = createLease(db, 'alerts', LEASE_MS, now);
  const stats = { rounds: 0, failures: 0, fired: 0, resolved: 0, lastRoundMs: 0 };
  const lastLogMs = new Map<number, number>();
  /** Duration of the last evaluation of a rule, and the number of the round. */
  const costs = new Map<number, { readonly ms: number; readonly round: number }>();

  /** Quick rules, and slow ones until their time in this round is used up. */
  function* dueRules(rules: readonly RuleRow[], slowWorkMs: number): Generator<RuleRow> {
    const isQuick = (rule: RuleRow) => comesFirst(rule) || (costs.get(rule.id)?.ms ?? 0) < QUICK_MS;
    const roundOf = ({ id }: RuleRow) => costs.get(id)?.round ?? 0;
    // Chosen before any is evaluated: a quick one that turns out slow is not evaluated again.
    const slow = rules.filter((one) => !isQuick(one)).sort((a, b) => roundOf(a) - roundOf(b));
    yield* rules.filter(isQuick);
    const endMs = performance.now() + slowWorkMs;
    for (const rule of slow) {
      if (performance.now() > endMs) return;
      yield rule;
    }
  }

  /** Evaluates a rule. Adds it to `moved` where it found nothing to store but a new state. */
  async function evaluate(rule: RuleRow, round: Round, { hasOpen, isStopped, erasures }: Present, moved: MovedRule[]) {
    const kind = kinds[rule.kind as AlertKind];
    const open = hasOpen ? await openAlerts(db.read, rule.id) : [];
    const found = rule.enabled && !isStopped ? await outcomeOf(rule, kind, round, open) : endAll(rule, open);
    const { position } = isStopped && !kind.ends ? { position: await startOf(kind, round) } : (found ?? rule);
    const stoppedMs = isStopped ? Number(rule.stoppedMs) || round.nowMs : 0;
    const plan = found?.plan ?? IDLE;
    if (isIdle(plan)) {
      const isMoved = position !== rule.position || stoppedMs !== Number(rule.stoppedMs);
      if (isMoved) moved.push({ rule, position, stoppedMs });
      return;
    }
    const outcome: Outcome = { plan, position, stoppedMs, quiet: found?.quiet ?? true };
    const told = await db.write(async (tx) => {
      // Its texts may be erased ones.
      if ((await holdErasures(tx)) !== erasures) return undefined;
      const current = await lockRule(tx, rule.id);
      // Another server, or a person, was faster: the next round looks again.
      if (current?.position !== rule.position || current.modifiedMs !== rule.modifiedMs) return undefined;
      return store(tx, current, outcome, round.nowMs);
    });
    stats.fired += told?.fired ?? 0;
    stats.resolved += told?.resolved ?? 0;
  }

  async function outcomeOf(
    rule: RuleRow,
    kind: Kind,
    round: Round,
    open: readonly OpenAlert[],
  ): Promise<Omit<Outcome, 'stoppedMs'> | undefined> {
    const { nowMs } = round;
    const isFirst = rule.position === '';
    const toldOf = (causes: readonly Cause[], known: ReadonlySet<string>) =>
      lastTold(
        db.read,
        rule.id,
        causes.flatMap(({ key }) => (known.has(key) ? [] : key)),
      );
    const parentsOf = (causes: readonly Cause[]) =>
      causes.some(({ parentCause }) => parentCause !== undefined) || open.some(({ parentId }) => parentId > 0)
        ? outageAlerts(db.read)
        : Promise.resolve(new Map<string, number>());
    if (kind.ends) {
      const known = new Set(open.map(({ key }) => key));
      const active = await kind.active(round, toWatchingRule(rule), known);
      if (active === undefined) return undefined;
      const { causes } = active;
      const others = { nowMs, parents: await parentsOf(causes), toldMs: await toldOf(causes, known) };
      const plan = planActive(rule, active, open, others);
      const position = isIdle(plan) && !isFirst ? rule.position : String(Number(rule.position) + 1);
      return { plan, position, quiet: isFirst };
    }
    if (isFirst) return { ...endAll(rule, open), position: await startOf(kind, round) };
    const happened = await kind.happened(round, toWatchingRule(rule), JSON.parse(rule.position));
    const { causes } = happened;
    const others = { nowMs, parents: await parentsOf(causes), toldMs: await toldOf(causes, new Set()) };
    const plan = planHappened(rule, happened, (count) => kind.manyTitle(count), others);
    return { plan, position: JSON.stringify(happened.position), quiet: true };
  }

  async function store(tx: Tx, rule: RuleRow, { plan, position, stoppedMs, quiet }: Outcome, nowMs: number) {
    const fired: AlertRow[] = [];
    const resolved: AlertRow[] = [];
    for (const { id, cause, parentId, tell } of plan.fired) {
      if (tell) fired.push(await tellAlert(tx, id, { ...shown(cause), parentId }, nowMs));
      else await fireAlert(tx, id, parentId);
    }
    const added = plan.added.map((alert) => ({ ...alert, ...shown(alert) }));
    for (const alert of added) if (alert.tell) fired.push(await insertAlert(tx, rule.id, alert, nowMs));
    const untold = added.filter(({ tell }) => !tell);
    await insertUntold(tx, rule.id, untold, nowMs);
    const isTold = ({ messages }: OpenAlert) => messages > 0 && !quiet;
    for (const alert of plan.ended) if (isTold(alert)) resolved.push(await endAlert(tx, alert.id, nowMs));
    const others = plan.ended.filter((alert) => !isTold(alert));
    await endQuietly(tx, others, nowMs);
    await saveRound(tx, rule.id, { position, stoppedMs }, fired.length > 0 ? nowMs : undefined);
    const under = await countUnder(
      tx,
      [...fired, ...resolved].map(({ id }) => Number(id)),
    );
    const alertOf = (row: AlertRow) => toAlert(row, under.get(Number(row.id)) ?? 0);
    const messages = [
      // An alert of a kind without an end is stored as resolved; its message says that it happens.
      ...fired.map((row) => ({
        type: 'alert.firing' as const,
        data: { ...alertOf(row), state: 'firing', resolved: null } satisfies Alert,
      })),
      ...resolved.map((row) => ({ type: 'alert.resolved' as const, data: alertOf(row) })),
    ];
    const link = publicUrl && { url: `${publicUrl}/admin-api/alert/instance?rule_id=${rule.id}` };
    const queued = messages.map(({ type, data }) => ({ type, timestampMs: nowMs, data: { ...data, ...link } }));
    await queueMessages(tx, channelsOf(rule), queued, nowMs);
    await events.publish(tx, messages);
    return { fired: fired.length, resolved: resolved.length };
  }

  /** Logs a failure, of a rule once a minute at most. */
  function note(rule: RuleRow, error: unknown): void {
    stats.failures += 1;
    const nowMs = now();
    if (Math.abs(nowMs - (lastLogMs.get(rule.id) ?? 0)) < LOG_EVERY_MS) return;
    lastLogMs.set(rule.id, nowMs);
    log.warn({ err: error, rule: rule.id, kind: rule.kind }, 'evaluating a rule of alerts failed');
  }

  async function runOnce(stopped: () => boolean, slowWorkMs: number): Promise<void> {
    if (!(await lease.hold())) return;
    const beganMs = performance.now();
    stats.rounds += 1;
    const erasures = await countErasures(db.read);
    const withOpen = await rulesWithOpen(db.read);
    const rules = (await allRules(db.read)).filter(({ id, enabled }) => enabled || withOpen.has(id));
    const round = createRound(db.read, now(), stopped);
    const whyOf = await readStops(db.read, rules);
    const moved: MovedRule[] = [];
    for (const rule of dueRules(rules, slowWorkMs)) {
      if (stopped()) break;
      const startMs = performance.now();
      try {
        const present = { hasOpen: withOpen.has(rule.id), isStopped: whyOf(rule) !== undefined, erasures };
        await evaluate(rule, round, present, moved);
      } catch (error) {
        note(rule, error);
      }
      costs.set(rule.id, { ms: performance.now() - startMs, round: stats.rounds });
      await round.eventLoop.pause();
    }
    if (moved.length > 0) await db.write((tx) => moveRules(tx, moved));
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
  readonly hasOpen: boolean;
  /** Its author has lost a right: what happens meanwhile is past for it. */
  readonly isStopped: boolean;
  /** Number of erasures before the round read a text. */
  readonly erasures: number;
}

const IDLE: Plan = { added: [], fired: [], ended: [] };

/** Ends all alerts of a rule that is disabled, has stopped, or had another kind, without messages. */
const endAll = (rule: RuleRow, open: readonly OpenAlert[]) => ({
  plan: { added: [], fired: [], ended: open },
  position: rule.position,
  quiet: true,
});

/** The texts of a cause, bounded: some come from log lines. */
function shown({ title, detail }: Pick<Cause, 'title' | 'detail'>) {
  const json = JSON.stringify(detail);
  return { title: shownTitle(title), detail: json.length <= DETAIL_MAX ? detail : { cut: true } };
}
