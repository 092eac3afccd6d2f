// Limits the requests of one kind that the server works on at once, so that each is answered soon. By Little's law the
// requests in a queue are its rate times the wait: the limit follows the measured time of the answers.

/** Settings of a lane. */
export interface LaneOptions {
  /** Requests at once at least while none is refused: many clients of an idle server may send at one moment. */
  readonly first: number;
  /** Bounds of the limit. */
  readonly least: number;
  readonly most: number;
  /** Mean time from admission to answer at which the limit stays as it is, in milliseconds. */
  readonly targetMs: number;
}

/** Counts of a lane: `admitted` and `refused` are since the start, the others are now. */
export interface LaneStats {
  readonly limit: number;
  readonly inFlight: number;
  readonly admitted: number;
  readonly refused: number;
  /** Mean milliseconds to the answer in the last window. */
  readonly meanMs: number;
}

/** Senders are distinguished by a number below this: a fixed amount of memory, whatever clients send. */
export const SENDER_SLOTS = 1_024;

/** Milliseconds of one measurement. */
const WINDOW_MS = 250;
/** Milliseconds of a count of senders; the one before counts too. */
const SENDER_MS = 1_000;
/** Part of the limit that senders with more than an equal share may fill while others are refused. */
const GREEDY_PART = 0.75;
/** Part of the limit above which requests wait for one another. */
const CROWDED_PART = 0.5;
/** The limit moves by this factor in a window at most. */
const STEP_MAX = 2;
/** Milliseconds for which the fastest answer is remembered, in two halves. */
const FASTEST_MS = 20_000;
/** Time to an answer, as a multiple of the fastest one, that is not taken for waiting. */
const FASTEST_TIMES = 2;
/** Multiple of the target after which a request is late while others are refused. */
const LATE_TIMES = 1.5;
/** Milliseconds for which a lane counts as overloaded after a refusal. */
const OVERLOADED_MS = 1_000;

/** The requests of one kind. Times are milliseconds of a clock that never goes back. */
export class Lane {
  readonly #options: LaneOptions;
  #limit: number;
  #inFlight = 0;
  #admitted = 0;
  #refused = 0;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  readonly #held = new Uint16Array(SENDER_SLOTS);
  readonly #senders = new Senders();
  readonly #fastest = new Fastest();
  #window = new Window(0);
  #meanMs = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#limit = options.first;
  }

  /** Admits a request of a sender, or refuses it. */
  enter(sender: number, nowMs: number): boolean {
    const hasShare = this.#senders.note(sender, this.#held[sender] ?? 0, this.#limit, nowMs);
    const isOverloaded = nowMs - this.#refusedAtMs < OVERLOADED_MS;
    if (!isOverloaded) this.#limit = Math.max(this.#limit, this.#options.first);
    const most = hasShare && isOverloaded ? Math.max(1, Math.floor(this.#limit * GREEDY_PART)) : this.#limit;
    if (this.#inFlight >= most) {
      this.#refused += 1;
      this.#refusedAtMs = nowMs;
      this.#window.refused += 1;
      return false;
    }
    this.#senders.admit(sender);
    this.#admitted += 1;
    this.#window.admitted += 1;
    this.#inFlight += 1;
    this.#window.peak = Math.max(this.#window.peak, this.#inFlight);
    this.#held[sender] = (this.#held[sender] ?? 0) + 1;
    return true;
  }

  /**
   * Notes that an admitted request no longer counts. `servedMs` is its time if it was served, and neither refused later
   * nor still waiting for its client.
   */
  leave(sender: number, nowMs: number, servedMs: number | undefined): void {
    this.#inFlight -= 1;
    this.#held[sender] = (this.#held[sender] ?? 1) - 1;
    if (servedMs === undefined) return;
    this.#window.add(servedMs);
    this.#fastest.note(servedMs, nowMs);
    if (nowMs - this.#window.sinceMs >= WINDOW_MS) this.#adapt(nowMs);
  }

  /** Tells whether a request that waited for so long should be refused when its work would begin. */
  isLate(waitedMs: number, nowMs: number): boolean {
    return nowMs - this.#refusedAtMs < OVERLOADED_MS && waitedMs > LATE_TIMES * this.#targetMs();
  }

  /** Requests refused for each one admitted, lately. */
  get refusedForOne(): number {
    return this.#window.refused / Math.max(1, this.#window.admitted);
  }

  stats(): LaneStats {
    return {
      limit: Math.floor(this.#limit),
      inFlight: this.#inFlight,
      admitted: this.#admitted,
      refused: this.#refused,
      meanMs: this.#meanMs,
    };
  }

  #targetMs(): number {
    return Math.max(this.#options.targetMs, FASTEST_TIMES * this.#fastest.ms);
  }

  #adapt(nowMs: number): void {
    const { refused, meanMs, peak } = this.#window;
    this.#window = new Window(nowMs);
    this.#window.peak = this.#inFlight;
    this.#meanMs = meanMs;
    const ratio = this.#targetMs() / meanMs;
    // Few slow requests are no queue, and a lane that refuses nothing need not grow.
    if (refused === 0 && (ratio >= 1 || peak < this.#limit * CROWDED_PART)) return;
    const { least, most } = this.#options;
    const factor = Math.max(1 / STEP_MAX, Math.min(STEP_MAX, ratio));
    this.#limit = Math.max(least, Math.min(most, (this.#limit * (1 + factor)) / 2));
  }
}

/** Counts and times of one window. */
class Window {
  readonly sinceMs: number;
  admitted = 0;
  refused = 0;
  /** Most requests at once. */
  peak = 0;
  #served = 0;
  #sumMs = 0;

  constructor(sinceMs: number) {
    this.sinceMs = sinceMs;
  }

  add(ms: number): void {
    this.#served += 1;
    this.#sumMs += ms;
  }

  get meanMs(): number {
    return this.#sumMs / Math.max(1, this.#served);
  }
}

/** Requests of the senders in one second. */
class SenderCounts {
  readonly sinceMs: number;
  /** Admitted requests of each sender, and one for a sender that sent any. */
  readonly bySender = new Uint16Array(SENDER_SLOTS);
  senders = 0;
  admitted = 0;

  constructor(sinceMs: number) {
    this.sinceMs = sinceMs;
  }
}

/** Knows which senders have had an equal share in the last seconds. */
class Senders {
  #now = new SenderCounts(0);
  #before = new SenderCounts(0);

  /** Notes a request of a sender that has `held` of `limit` requests. Tells whether it has its share already. */
  note(sender: number, held: number, limit: number, nowMs: number): boolean {
    if (nowMs - this.#now.sinceMs >= SENDER_MS) [this.#before, this.#now] = [this.#now, new SenderCounts(nowMs)];
    const [now, before] = [this.#now, this.#before];
    if (now.bySender[sender] === 0) {
      now.bySender[sender] = 1;
      now.senders += 1;
    }
    const senders = Math.max(now.senders, before.senders);
    if (senders === 1) return false;
    const recent = (now.bySender[sender] ?? 0) - 1 + Math.max(0, (before.bySender[sender] ?? 0) - 1);
    return held >= Math.max(1, limit / senders) || recent > (now.admitted + before.admitted) / senders;
  }

  admit(sender: number): void {
    this.#now.bySender[sender] = (this.#now.bySender[sender] ?? 0) + 1;
    this.#now.admitted += 1;
  }
}

/** Remembers the fastest answer of the last seconds: what one takes where nothing waits. */
class Fastest {
  #now = Number.POSITIVE_INFINITY;
  #before = Number.POSITIVE_INFINITY;
  #sinceMs = 0;

  note(ms: number, nowMs: number): void {
    if (nowMs - this.#sinceMs >= FASTEST_MS / 2) {
      this.#before = this.#now;
      this.#now = Number.POSITIVE_INFINITY;
      this.#sinceMs = nowMs;
    }
    this.#now = Math.min(this.#now, ms);
  }

  /** 0 before the first answer. */
  get ms(): number {
    const ms = Math.min(this.#now, this.#before);
    return Number.isFinite(ms) ? ms : 0;
  }
}
