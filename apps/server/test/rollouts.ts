// Generated deployments on fleets of hosts, each with the errors around it: the same ones for each seed.

/** An occurrence of an error on a host, numbered from 0; the time is in Unix seconds. */
export interface Occurrence {
  readonly host: number;
  readonly t: number;
}

/** An error with its occurrences. */
export interface RolloutError {
  readonly level: number;
  readonly occurrences: readonly Occurrence[];
}

/** A deployment. The hosts with the lowest numbers made it. */
export interface Rollout {
  readonly hosts: number;
  readonly own: number;
  /** Unix seconds. */
  readonly time: number;
  readonly errors: readonly RolloutError[];
}

/** Seconds of errors before and after a deployment. */
const BEFORE_S = 7_200;
const AFTER_S = 720;
const SIZES = [4, 6, 8, 12, 20, 40];
const [ERROR, WARN] = [4, 5];
/** Occurrences of a bad deployment in its first 100 s, at least. */
const BAD_LEAST = 10;

/** Random numbers from 0 to 1. */
export function generator(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Fleet {
  readonly hosts: number;
  readonly own: number;
  readonly time: number;
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
    this.hosts = SIZES[Math.floor(random() * SIZES.length)] ?? 4;
    const share = 0.1 + random() * 0.5;
    this.own = random() < 0.35 ? this.hosts : Math.max(1, Math.round(this.hosts * share));
    this.time = 1_800_000_000 + Math.floor(random() * 60);
  }

  /** A number between two, of which each size is as probable. */
  between(least: number, most: number): number {
    return least * (most / least) ** this.#random();
  }

  chance(p: number): boolean {
    return this.#random() < p;
  }

  /** Times of a host, at a rate for each second that may change with time. */
  times(from: number, rateAt: (t: number) => number): number[] {
    const found: number[] = [];
    for (let t = from; t < this.time + AFTER_S; ) {
      t -= Math.log(1 - this.#random()) / rateAt(t);
      if (t < this.time + AFTER_S) found.push(t);
    }
    return found;
  }

  /** An error that comes now and then, in bursts, with another rate on each host. */
  usual(): RolloutError {
    const rate = this.between(1.6e-4, 0.16);
    const burst = this.chance(0.5) ? 1 : Math.round(this.between(2, 20));
    const lengthS = burst === 1 ? 0 : this.between(5, 95);
    const affected = this.chance(0.5) ? this.hosts : Math.ceil(this.#random() * this.hosts);
    const occurrences = range(affected).flatMap((host) => {
      const own = rate * this.between(0.4, 2.5);
      return this.times(this.time - BEFORE_S, () => own).flatMap((t) =>
        range(burst).map(() => ({ host, t: t + this.#random() * lengthS })),
      );
    });
    return { level: this.chance(0.3) ? WARN : ERROR, occurrences };
  }

  /** Something that happens to hosts at any time, such as a lost database. */
  incident(hosts: readonly number[], count: number, lengthS: number): RolloutError {
    const start = this.time - BEFORE_S + this.#random() * (BEFORE_S + AFTER_S);
    return { level: ERROR, occurrences: this.#burst(hosts, count, start, lengthS) };
  }

  /** Requests that fail while programs start again. */
  restart(): RolloutError {
    return { level: ERROR, occurrences: this.#burst(range(this.own), 5, this.time, 15) };
  }

  newError(): RolloutError {
    const rate = this.between(0.04, 1.2);
    const occurrences = range(this.own).flatMap((host) =>
      this.times(this.time + 2, () => rate).map((t) => ({ host, t })),
    );
    return { level: this.chance(0.8) ? ERROR : ERROR - 1, occurrences };
  }

  moreFrequent(): RolloutError {
    const [rate, factor] = [this.between(0.005, 0.05), 6 + this.#random() * 20];
    const occurrences = range(this.hosts).flatMap((host) => {
      const rateAt = (t: number) => (host < this.own && t > this.time ? factor : 1) * rate;
      return this.times(this.time - BEFORE_S, rateAt).map((t) => ({ host, t }));
    });
    return { level: ERROR, occurrences };
  }

  #burst(hosts: readonly number[], count: number, start: number, lengthS: number): Occurrence[] {
    return hosts.flatMap((host) => range(count).map(() => ({ host, t: start + this.#random() * lengthS })));
  }
}

const range = (length: number) => Array.from({ length }, (_, i) => i);

/** Generates a deployment, a bad one on request: its last error is new or more frequent, and shows at once. */
export function makeRollout(seed: number, isBad: boolean): Rollout {
  const random = generator(seed);
  const fleet = new Fleet(random);
  const errors = range(1 + Math.floor(random() * 30)).map(() => fleet.usual());
  if (fleet.chance(0.1)) errors.push(fleet.incident(range(fleet.hosts), 30, 120));
  if (fleet.chance(0.3)) errors.push(fleet.incident([Math.floor(random() * fleet.hosts)], 200, 300));
  if (fleet.chance(0.5)) errors.push(fleet.restart());
  if (isBad) errors.push(shownAtOnce(fleet));
  return { hosts: fleet.hosts, own: fleet.own, time: fleet.time, errors };
}

function shownAtOnce(fleet: Fleet): RolloutError {
  for (;;) {
    const error = fleet.chance(0.6) ? fleet.newError() : fleet.moreFrequent();
    const shown = error.occurrences.filter(
      ({ host, t }) => host < fleet.own && t >= fleet.time && t < fleet.time + 100,
    );
    if (shown.length >= BAD_LEAST && new Set(shown.map(({ host }) => host)).size * 2 >= fleet.own) return error;
  }
}
