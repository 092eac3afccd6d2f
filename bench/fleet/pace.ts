// Paces the calls of a fleet, and measures their cost for server and database.
import { quantile } from '../load.ts';
import { count, ms } from '../report.ts';
import type { Action, SimulatedAgent } from './agents.ts';
import type { Machines } from './usage.ts';

/** Figures of one kind of call. */
export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server per call, microseconds. */
  readonly serverUs: number;
  /** Processor time of PostgreSQL, microseconds. */
  readonly databaseUs: number;
  /** Write-ahead log of PostgreSQL per call, bytes. */
  readonly walBytes: number;
  readonly seconds: number;
  readonly calls: number;
}

/** Measures a call and passes its result on. */
type Done = <T>(call: Promise<T>) => Promise<T>;

/** Senders where the rate is not given. */
const AT_ONCE = 48;
const TICK_MS = 2;
/** Calls under way at most: a server that falls behind must not fill the memory of the bench. */
const WAITING_MAX = 4_000;

export class Fleet {
  readonly agents: readonly SimulatedAgent[];
  readonly #machines: Machines;
  #next = 0;

  constructor(agents: readonly SimulatedAgent[], machines: Machines) {
    this.agents = agents;
    this.#machines = machines;
  }

  /** Measures the calls that `work` passes to `done`. A failed call makes the figures worthless, so it throws. */
  async measure(work: (done: Done) => Promise<void>): Promise<Figures> {
    const times: number[] = [];
    const done: Done = async (call) => {
      const sentAt = performance.now();
      const result = await call;
      times.push(performance.now() - sentAt);
      return result;
    };
    const before = await this.#machines.usage();
    const startedAt = performance.now();
    await work(done);
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = await this.#machines.usage();
    const calls = Math.max(1, times.length);
    return {
      perSecond: times.length / seconds,
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      serverUs: (after.serverUs - before.serverUs) / calls,
      databaseUs: (after.databaseUs - before.databaseUs) / calls,
      walBytes: (after.walBytes - before.walBytes) / calls,
      seconds,
      calls,
    };
  }

  #agent(): SimulatedAgent {
    this.#next = (this.#next + 1) % this.agents.length;
    return this.agents[this.#next] as SimulatedAgent;
  }

  /** Lets each agent act once, as fast as the server answers. */
  each(action: Action): Promise<Figures> {
    let left = this.agents.length;
    return this.#closed(action, () => left-- > 0);
  }

  /**
   * Lets agents act for some seconds, as fast as the server answers, and again some rounds. Returns the round with the
   * least processor time: other programs on the machine add to it.
   */
  async cheapest(rounds: number, seconds: number, action: Action): Promise<Figures> {
    const all: Figures[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const endAt = performance.now() + seconds * 1_000;
      all.push(await this.#closed(action, () => performance.now() < endAt));
    }
    const [first] = all.sort((a, b) => a.serverUs + a.databaseUs - b.serverUs - b.databaseUs);
    return first as Figures;
  }

  #closed(action: Action, goesOn: () => boolean): Promise<Figures> {
    return this.measure(async (done) => {
      const work = async () => {
        while (goesOn()) await done(action(this.#agent()));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    });
  }

  /** Lets agents act at a rate per second, whatever the server does. `others` come at a share of the rate. */
  atPace(rate: number, seconds: number, action: Action, others: readonly [share: number, Action][] = []) {
    return this.measure(async (done) => {
      const running = new Set<Promise<unknown>>();
      const start = (act: Action) => {
        const call = done(act(this.#agent())).finally(() => running.delete(call));
        running.add(call);
      };
      const startedAt = performance.now();
      for (let sent = 0; performance.now() - startedAt < seconds * 1_000; ) {
        const due = ((performance.now() - startedAt) / 1_000) * rate;
        for (; sent < due && running.size < WAITING_MAX; sent += 1) {
          start(action);
          for (const [share, act] of others) if ((sent * share) % 1 < share) start(act);
        }
        await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      }
      await Promise.all(running);
    });
  }

  /** Measures a server without requests. */
  idle(seconds: number): Promise<Figures> {
    return this.measure(() => new Promise((resolve) => setTimeout(resolve, seconds * 1_000)));
  }
}

/** Share of a core that calls took, of server and database. */
export const cost = ({ serverUs, databaseUs, calls, seconds }: Figures): string => {
  const percent = (us: number) => `${((us * calls) / seconds / 10_000).toFixed(1)} %`;
  return `${percent(serverUs)} and ${percent(databaseUs)}`;
};

const WIDTH = 42;

/** Prints the names of the columns. */
export const header = () =>
  console.log(
    `  ${''.padEnd(WIDTH)}${'per second'.padStart(10)}${'p50'.padStart(10)}${'p99'.padStart(10)}${'server'.padStart(11)}${'database'.padStart(11)}${'log'.padStart(11)}`,
  );

/** Prints one line of figures: `log` is the write-ahead log of PostgreSQL. */
export function row(name: string, figures: Figures): void {
  const { perSecond, p50Ms, p99Ms, serverUs, databaseUs, walBytes } = figures;
  const columns = [
    count(perSecond).padStart(10),
    ms(p50Ms).padStart(10),
    ms(p99Ms).padStart(10),
    `${count(serverUs)} us`.padStart(11),
    `${count(databaseUs)} us`.padStart(11),
    `${count(walBytes)} B`.padStart(11),
  ];
  console.log(`  ${name.padEnd(WIDTH)}${columns.join('')}  ${cost(figures)}`);
}
