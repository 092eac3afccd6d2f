// The events of an incident in the order of their times. A change on a host is reported when its agent reports next.
import type { AgentFacts } from '../../packages/core/src/index.ts';
import type { Fleet, Host, ObservedChange, OutsideChange } from './fleet.ts';

const INTERVAL_S = 30;

interface Report {
  facts: AgentFacts;
  readonly changes: ObservedChange[];
}

/** Events by time. */
export class Timeline {
  readonly #events = new Map<number, (() => Promise<void>)[]>();
  readonly #after = new Map<number, (() => Promise<void>)[]>();
  readonly #reports = new Map<string, Report>();
  /** Time at which each host that is away reports again. */
  readonly #backS = new Map<Host, { readonly fromS: number; readonly toS: number }>();
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  at(atS: number, run: () => Promise<void>): void {
    add(this.#events, atS, run);
  }

  /** Runs something when everything of a second has happened. */
  after(atS: number, run: () => Promise<void>): void {
    add(this.#after, atS, run);
  }

  /** Reports changed facts and observed changes with the next heartbeat after a time. */
  report(host: Host, atS: number, facts: AgentFacts, changes: readonly Omit<ObservedChange, 'atS'>[] = []): void {
    const away = this.#backS.get(host);
    const isAway = away !== undefined && atS >= away.fromS - INTERVAL_S && atS <= away.toS;
    const due = isAway ? away.toS : nextReport(host, atS);
    const key = `${host.id} ${due}`;
    let report = this.#reports.get(key);
    if (report === undefined) {
      const made: Report = { facts: {}, changes: [] };
      report = made;
      this.#reports.set(key, made);
      this.at(due, () => this.#fleet.report(host, made.facts, made.changes));
    }
    report.facts = {
      ...report.facts,
      ...facts,
      ...(facts.system_version && { system_version: { ...report.facts.system_version, ...facts.system_version } }),
      ...(facts.package && { package: { ...report.facts.package, ...facts.package } }),
    };
    report.changes.push(...changes.map((change) => ({ ...change, atS: Math.floor(atS) })));
  }

  /** Reboots a host; its agent reports when it is back. */
  reboot(host: Host, atS: number, backS: number, facts: AgentFacts, isClean = true): void {
    const [fromS, toS] = [Math.floor(atS), Math.floor(backS)];
    this.#backS.set(host, { fromS, toS });
    if (isClean) this.at(fromS, () => this.#fleet.shutDown(host));
    this.report(host, fromS, { ...facts, boot_time: fromS + 20, started: fromS + 30 });
  }

  /** Logs an error, `count` times at each of some times. */
  log(host: Host, text: string, times: readonly number[], count = 1): void {
    const last = Math.floor(times.at(-1) ?? 0);
    this.at(last, () =>
      this.#fleet.log(
        host,
        times.map((atS) => ({ log: text, atS: Math.floor(atS), count })),
      ),
    );
  }

  change(hosts: readonly Host[], atS: number, change: OutsideChange): void {
    this.at(atS, () => this.#fleet.change(hosts, change));
  }

  /** Lets everything happen in order. */
  async run(): Promise<void> {
    const seconds = new Set([...this.#events.keys(), ...this.#after.keys()]);
    for (const second of [...seconds].sort((a, b) => a - b)) {
      this.#fleet.passTo(second);
      await this.#fleet.together(this.#events.get(second) ?? []);
      for (const run of this.#after.get(second) ?? []) await run();
    }
  }
}

type Events = Map<number, (() => Promise<void>)[]>;

function add(events: Events, atS: number, run: () => Promise<void>): void {
  const second = Math.floor(atS);
  const known = events.get(second);
  if (known === undefined) events.set(second, [run]);
  else known.push(run);
}

const nextReport = ({ phaseS }: Host, atS: number): number =>
  Math.ceil((atS - phaseS) / INTERVAL_S) * INTERVAL_S + phaseS;
