// Makes an incident with a known cause from a seed: who changes, who has the error, and everything beside it.
import { randomFrom } from '../lines.ts';
import type { Fleet, Host } from './fleet.ts';
import { type ChangeKind, KERNEL, KINDS, kernelFacts, type Name, type Step } from './kinds.ts';
import { Timeline } from './timeline.ts';

/** Ways in which an error follows its cause, beside the plain one. */
export const TRAPS = [
  'everybody changed',
  'two changed together',
  'delayed',
  'partial',
  'rolling A to B to C',
  'away, reports late',
  'known before',
  'rollout under way',
] as const;
export type Trap = (typeof TRAPS)[number];
export const SIZES = [20, 100, 400] as const;

/** The parts of an incident that its seed decides first, so that all of them occur equally often. */
export interface Plan {
  readonly seed: number;
  readonly size: number;
  readonly isBusy: boolean;
  /** Undefined: the error has no cause among the changes. */
  readonly kind: ChangeKind | undefined;
  /** Undefined: the plain way. */
  readonly trap: Trap | undefined;
}

export function planOf(seed: number, hasCause: boolean): Plan {
  const scenarios = KINDS.length + TRAPS.length;
  const scenario = seed % scenarios;
  const round = Math.floor(seed / scenarios);
  const where = { seed, size: SIZES[round % SIZES.length] ?? 20, isBusy: Math.floor(round / SIZES.length) % 2 === 1 };
  if (!hasCause)
    return { ...where, size: SIZES[seed % 3] ?? 20, isBusy: seed % 2 === 1, kind: undefined, trap: undefined };
  const trap = TRAPS[scenario - KINDS.length];
  if (trap === undefined) return { ...where, kind: KINDS[scenario], trap };
  const random = randomFrom(seed * 31 + 7);
  const fitting = KINDS.filter(({ isVersioned }) => trap !== 'rolling A to B to C' || isVersioned);
  return { ...where, kind: trap === 'away, reports late' ? KERNEL : one(random, fitting), trap };
}

/** The cause and the course of an incident. */
export interface Truth {
  /** Names of the cause; empty = there is none. */
  readonly names: readonly Name[];
  /** Text of the error. */
  readonly text: string;
  /** Time of the error on each host (Unix seconds). */
  readonly onsets: ReadonlyMap<Host, number>;
  readonly isSpike: boolean;
  readonly earlyS: number;
  readonly settledS: number;
}

type Random = () => number;
const one = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const between = (random: Random, low: number, high: number) => low + random() * (high - low);
/** More often near the lower end. */
const skewed = (random: Random, low: number, high: number) => low * (high / low) ** random();

/** Some hosts: those of a site, those of a role, or any. */
function some(random: Random, hosts: readonly Host[], share: number): Host[] {
  const way = random();
  const { site, role } = one(random, hosts);
  const fitting = hosts.filter((host) => (way < 0.25 ? host.site === site : way >= 0.4 || host.role === role));
  const wanted = Math.max(2, Math.round(hosts.length * share));
  return shuffled(random, fitting).slice(0, wanted);
}

function shuffled<T>(random: Random, values: readonly T[]): T[] {
  const made = [...values];
  for (let i = made.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [made[i], made[j]] = [made[j] as T, made[i] as T];
  }
  return made;
}

/** Times at which hosts change, spread over a time. */
const rollout = (random: Random, hosts: readonly Host[], startS: number, lengthS: number): Step[] =>
  hosts.map((host, i) => ({ host, atS: startS + ((i + random()) / hosts.length) * lengthS }));

/** Letters only: a number would count as a variable part of the text. */
const word = (random: Random) =>
  Array.from({ length: 12 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');

const HOUR_S = 3_600;
/** Simulated time between the start of an incident and the first change that matters. */
const LEAD_S = 3 * HOUR_S;
/** The early question comes this long after the first host has the error. */
const EARLY_S = 90;
const OTHER_ROLLOUTS = 7;
/** Share of these that begin with the affected hosts, as rollouts do that always begin with the same canaries. */
const SAME_FIRST = 0.25;
/** Seconds before the first affected host from which other hosts have the same error. */
const STRANGERS_BEFORE_S = 600;
/** Share of the hosts with an everyday change within an hour. */
const EVERYDAY = 0.04;
/** Share of the incidents without a cause whose error is known before. */
const UNCAUSED_SPIKES = 0.2;

/** Puts an incident on a timeline. */
export function makeIncident(fleet: Fleet, plan: Plan, version: number): { timeline: Timeline; truth: Truth } {
  const random = randomFrom(plan.seed * 2 + (plan.kind === undefined ? 1 : 0) + 1_000_003);
  return new IncidentMaker(fleet, plan, random, version).make();
}

class IncidentMaker {
  readonly #timeline: Timeline;
  readonly #startS: number;
  readonly #onsets = new Map<Host, number>();
  /** Time at which the last of the hosts that were away reports again. */
  #lastBackS = 0;
  readonly #text: string;

  readonly fleet: Fleet;
  readonly plan: Plan;
  readonly random: Random;
  readonly version: number;

  constructor(fleet: Fleet, plan: Plan, random: Random, version: number) {
    this.fleet = fleet;
    this.plan = plan;
    this.random = random;
    this.version = version;
    this.#timeline = new Timeline(fleet);
    // A full hour, so that reports and counts by the minute do not depend on the incidents before.
    this.#startS = Math.ceil((fleet.nowS + LEAD_S) / HOUR_S) * HOUR_S;
    this.#text = `${word(random)} failed: ${word(random)}`;
  }

  make(): { timeline: Timeline; truth: Truth } {
    const names = this.#cause();
    const firstS = Math.floor(Math.min(...this.#onsets.values()));
    const lastS = Math.floor(Math.max(...this.#onsets.values()));
    this.#noise(firstS, lastS);
    if (this.plan.isBusy) this.#strangers(firstS, lastS);
    const isSpike = this.plan.trap === 'known before' || (names.length === 0 && this.random() < UNCAUSED_SPIKES);
    this.#errors(firstS, isSpike);
    // A minute of a spike is complete, and every agent has reported.
    const settledS = Math.floor(Math.max(this.#lastBackS, ...this.#onsets.values())) + 240;
    const onsets = new Map([...this.#onsets].map(([host, atS]) => [host, Math.floor(atS)]));
    const truth = { names, text: this.#text, onsets, isSpike, earlyS: firstS + EARLY_S, settledS };
    return { timeline: this.#timeline, truth };
  }

  /** Share of the fleet that changes. */
  #share(): number {
    return (
      { 20: between(this.random, 0.1, 0.5), 100: skewed(this.random, 0.03, 0.4) }[this.plan.size] ??
      skewed(this.random, 0.01, 0.3)
    );
  }

  #cause(): readonly Name[] {
    const { random, plan, fleet, version } = this;
    const { kind, trap } = plan;
    if (kind === undefined) return this.#noCause();
    const hosts =
      trap === 'everybody changed' ? shuffled(random, fleet.hosts) : some(random, fleet.hosts, this.#share());
    const lengthS = trap === 'rollout under way' ? between(random, 1_500, 3_000) : skewed(random, 20, 1_200);
    const steps = rollout(
      random,
      hosts,
      this.#startS,
      trap === 'everybody changed' ? between(random, 30, 180) : lengthS,
    );
    if (trap === 'away, reports late') return this.#away(steps);
    if (trap === 'rolling A to B to C') this.#rolling(kind, hosts);
    const ready = kind.make(this.#context, steps, version);
    const names = [...kind.names(version)];
    if (trap === 'two changed together') {
      const other = one(
        random,
        KINDS.filter((each) => each !== kind && !each.isReboot),
      );
      // The second change comes with the same report of the host.
      other.make(this.#context, steps, version + 1);
      names.push(...other.names(version + 1));
    }
    const share = this.#affectedShare();
    const affected = shuffled(random, ready).slice(0, Math.max(1, Math.round(ready.length * share)));
    const delayS = trap === 'delayed' ? between(random, 600, 2_400) : skewed(random, 3, 120);
    for (const { host, atS } of affected) this.#onsets.set(host, atS + delayS * between(random, 0.7, 1.3));
    return names;
  }

  /** Share of the changed hosts that get the error. */
  #affectedShare(): number {
    if (this.plan.trap === 'partial') return between(this.random, 0.6, 0.9);
    return this.plan.trap === 'everybody changed' ? between(this.random, 0.4, 1) : 1;
  }

  get #context() {
    return { timeline: this.#timeline, fleet: this.fleet };
  }

  /** The error begins for a reason that no change shows. */
  #noCause(): readonly Name[] {
    const { random, fleet } = this;
    const everybody = random() < 0.1;
    const hosts = everybody ? fleet.hosts : some(random, fleet.hosts, this.#share());
    const lengthS = skewed(random, 10, 1_200);
    for (const { host, atS } of rollout(random, hosts, this.#startS, lengthS)) this.#onsets.set(host, atS);
    return [];
  }

  /** Hosts vanish, boot into a new kernel and log the error at once; their agents report minutes later. */
  #away(steps: readonly Step[]): readonly Name[] {
    const { random, fleet, version } = this;
    const lastS = Math.max(...steps.map(({ atS }) => atS));
    for (const { host, atS } of steps) {
      const backS = Math.max(atS, lastS) + between(random, 240, 420);
      this.#lastBackS = Math.max(this.#lastBackS, backS);
      this.#timeline.reboot(host, atS, backS, kernelFacts(version), false);
      this.#onsets.set(host, atS + between(random, 50, 80));
    }
    const silent = steps.map(({ host }) => host);
    this.#timeline.at(this.#startS - HOUR_S - 600, () => fleet.sweep([]));
    this.#timeline.at(Math.floor(lastS) + 130, () => fleet.sweep(silent));
    return KERNEL.names(version);
  }

  /** An earlier version reaches these hosts and others, without an error. */
  #rolling(kind: ChangeKind, hosts: readonly Host[]): void {
    const { random, fleet, version } = this;
    const others = some(random, fleet.hosts, 0.5);
    const both = [...new Set([...hosts, ...others])];
    kind.make(this.#context, rollout(random, both, this.#startS - between(random, 2_000, 3_000), 900), version - 10);
  }

  /** Everyday changes of single hosts, and in a busy fleet rollouts that have nothing to do with the error. */
  #noise(firstS: number, lastS: number): void {
    const { random, fleet, plan } = this;
    const fromS = firstS - HOUR_S;
    const hours = (lastS + 120 - fromS) / HOUR_S;
    const everyday = Math.max(1, Math.round(fleet.hosts.length * EVERYDAY * hours * between(random, 0.5, 1.5)));
    const others = KINDS.filter((kind) => kind !== plan.kind);
    for (let i = 0; i < everyday; i += 1) {
      const step = { host: one(random, fleet.hosts), atS: between(random, fromS, lastS + 120) };
      one(random, others).make(this.#context, [step], this.version + 20 + i);
    }
    if (!plan.isBusy) return;
    for (const [i, kind] of shuffled(random, others).slice(0, OTHER_ROLLOUTS).entries()) {
      // Without a cause, such a rollout would be one that nobody could tell from a cause.
      const isFirst = plan.kind !== undefined && random() < SAME_FIRST;
      const own = shuffled(random, [...this.#onsets.keys()]);
      const first = isFirst ? own.slice(0, Math.ceil(own.length * between(random, 0.5, 1))) : [];
      const hosts = [...new Set([...first, ...some(random, fleet.hosts, skewed(random, 0.05, 0.6))])];
      const steps = rollout(random, hosts, between(random, fromS, lastS), skewed(random, 60, 1_800));
      kind.make(this.#context, steps, this.version + 500 + i);
    }
  }

  /** A few other hosts have the same error for reasons of their own. */
  #strangers(firstS: number, lastS: number): void {
    const { random, fleet } = this;
    const wanted = Math.round(Math.max(1, this.#onsets.size * between(random, 0.05, 0.25)));
    const others = fleet.hosts.filter((host) => !this.#onsets.has(host));
    for (const host of shuffled(random, others).slice(0, wanted)) {
      this.#onsets.set(host, between(random, firstS - STRANGERS_BEFORE_S, lastS + 60));
    }
  }

  #errors(firstS: number, isSpike: boolean): void {
    const { random, fleet } = this;
    if (isSpike) {
      // Half of the hosts have had the error for hours, once a minute.
      for (const host of fleet.hosts.filter((_, i) => i % 2 === 0).slice(0, 60)) {
        const offset = Math.floor(random() * 60);
        const times = Array.from({ length: 100 }, (_, i) => firstS - 6_060 + i * 60 + offset);
        this.#timeline.log(host, this.#text, times);
      }
    }
    const spikeRate = Math.round(skewed(random, 3, 30));
    for (const [host, atS] of this.#onsets) {
      const rate = isSpike ? spikeRate : 1 + Math.floor(random() * 5);
      this.#timeline.log(host, this.#text, [atS], rate);
      this.#timeline.log(host, this.#text, [atS + 60, atS + 120], rate);
    }
  }
}
