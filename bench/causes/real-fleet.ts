// A fleet of real gateways to which one incident after the other happens.
import { setTimeout as pause } from 'node:timers/promises';
import type { ErrlogEntry } from '../../packages/core/src/index.ts';
import { call } from '../api.ts';
import type { Program } from '../processes.ts';
import type { RealHost } from './real-host.ts';
import { type Answer, type Asked, askServer, judgeAll } from './real-judge.ts';
import type { RealKind } from './real-kinds.ts';
import { NOISE } from './real-noise.ts';
import { startLog } from './real-site.ts';

/** One incident, judged. */
export interface Outcome {
  readonly kind: string;
  readonly hasCause: boolean;
  readonly hosts: readonly string[];
  /** Hosts of the fleet. */
  readonly of: number;
  readonly noise: readonly string[];
  /** Text of the error; undefined = the server did not get it in time, so nothing was judged. */
  readonly error: string | undefined;
  /** At most 10 s after the server had the error. */
  readonly early: Answer | undefined;
  /** When the agents have reported. */
  readonly settled: Answer | undefined;
  /** Seconds from the error at the server until the cause was first and stayed it; undefined = never. */
  readonly namedS: number | undefined;
}

export interface FleetOptions {
  readonly name: string;
  readonly hosts: readonly RealHost[];
  readonly server: Program;
  readonly headers: Readonly<Record<string, string>>;
  readonly random: () => number;
  /** Receives each outcome. */
  readonly report: (outcome: Outcome) => void;
}

const ERROR_WITHIN_MS = 40_000;
const EARLY_MS = 10_000;
const ASK_EVERY_MS = 1_000;
/** Agents report a repair before the next incident. */
const QUIET_MS = 20_000;
const NOISE_MAX = 2;
/** Incidents whose repairs the server still sees when it looks back. */
const SEEN_INCIDENTS = 8;

/** Makes a copy in another order. */
export function shuffled<T>(random: () => number, values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

export class RealFleet {
  readonly #options: FleetOptions;
  #incidents = 0;
  /** Names of the hosts of the last incidents. */
  #last: readonly string[] = [];

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** Lets an incident happen, asks for its cause, and repairs the hosts. */
  async run(kind: RealKind): Promise<void> {
    const { hosts, report, name } = this.#options;
    this.#incidents += 1;
    const service = serviceOf(name, this.#incidents);
    const broken = this.#pick(kind);
    await Promise.all(hosts.map((host) => host.run(startLog(service))));
    const noise = await this.#makeNoise();
    await Promise.all(broken.map((host) => kind.break(host)));
    if (kind.isRelease === true) await this.#reportRelease(broken);
    const names = broken.map((host) => host.name);
    const facts = { kind: kind.name, hasCause: kind.names.length > 0, hosts: names, of: hosts.length, noise };
    report({ ...facts, ...(await this.#judge(kind, service)) });
    for (const host of broken) await kind.repair(host);
    await pause(QUIET_MS);
  }

  /** Picks hosts, but not all those of an incident whose repair is still seen: it would look like a cause. */
  #pick({ isEverywhere }: RealKind): readonly RealHost[] {
    const { hosts, random } = this.#options;
    if (isEverywhere === true) return hosts;
    const most = hosts.length - 1;
    for (;;) {
      const picked = shuffled(random, hosts).slice(0, 1 + Math.floor(random() * most));
      const key = picked
        .map(({ name }) => name)
        .sort()
        .join();
      if (this.#last.includes(key)) continue;
      this.#last = [key, ...this.#last].slice(0, SEEN_INCIDENTS);
      return picked;
    }
  }

  async #makeNoise(): Promise<string[]> {
    const { hosts, random } = this.#options;
    const names: string[] = [];
    for (const { name, make } of shuffled(random, NOISE).slice(0, Math.floor(random() * (NOISE_MAX + 1)))) {
      const some = shuffled(random, hosts).slice(0, 1 + Math.floor(random() * hosts.length));
      await Promise.all(some.map((host) => make(host, this.#incidents)));
      names.push(name);
      await pause(random() * 2 * ASK_EVERY_MS);
    }
    return names;
  }

  async #reportRelease(hosts: readonly RealHost[]): Promise<void> {
    const { server, headers } = this.#options;
    const after = `release ${this.#incidents}`;
    const body = JSON.stringify({ kind: 'deploy', name: 'site', after, hosts: hosts.map(({ name }) => name) });
    await call(server, '/admin-api/change', { method: 'POST', headers, body });
  }

  async #judge(kind: RealKind, service: string) {
    const { server, headers } = this.#options;
    const untilMs = Date.now() + ERROR_WITHIN_MS;
    let groups: readonly ErrlogEntry[] = [];
    while (groups.length === 0 && Date.now() < untilMs) {
      groups = await this.#groupsOf(kind, service);
      if (groups.length === 0) await pause(ASK_EVERY_MS / 2);
    }
    const [group] = groups;
    if (group === undefined) return { error: undefined, early: undefined, settled: undefined, namedS: undefined };
    const startMs = Date.now();
    let early: Asked | undefined;
    let asked = await askServer(server, headers, group.id, kind.names);
    let namedS: number | undefined;
    for (;;) {
      const passedMs = Date.now() - startMs;
      namedS = asked.rank === 1 ? (namedS ?? passedMs / 1000) : undefined;
      if (passedMs <= EARLY_MS) early = asked;
      if (passedMs >= kind.settledS * 1000) break;
      await pause(ASK_EVERY_MS);
      asked = await askServer(server, headers, group.id, kind.names);
    }
    const onsets = await this.#groupsOf(kind, service);
    const judge = (one: Asked, atMs: number) =>
      judgeAll({ server, headers, asked: one, names: kind.names, onsets, atMs });
    const settled = await judge(asked, Date.now());
    return {
      error: group.log,
      early: early === undefined ? undefined : await judge(early, startMs + EARLY_MS),
      settled,
      namedS,
    };
  }

  async #groupsOf({ error }: RealKind, service: string): Promise<ErrlogEntry[]> {
    const { server, headers } = this.#options;
    const query = new URLSearchParams({ page_size: '200', detail: '1', filter: `service:${service}` });
    const { data } = await call(server, `/admin-api/log_server/errlog?${query}`, { headers });
    return (data as { data: ErrlogEntry[] }).data.filter(({ log }) => error.test(log));
  }
}

/** Service of an incident, so that its error is a new one although the same kind happened before. */
export const serviceOf = (fleet: string, incident: number): string => `${fleet}-${incident}`;
