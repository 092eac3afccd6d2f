import { describe, expect, it } from 'vitest';
import { Lane } from './lane.ts';

const OPTIONS = { first: 32, least: 4, most: 1_024, targetMs: 200 };

interface Arrivals {
  readonly sender: number;
  readonly perSecond: number;
}

interface Queued {
  readonly sender: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** A server that works on one request at a time, `serviceMs` for each, behind a lane. */
class OneAtATime {
  readonly lane = new Lane(OPTIONS);
  readonly #serviceMs: number;
  #nowMs = 0;
  #freeAtMs = 0;
  readonly #queue: Queued[] = [];

  constructor(serviceMs: number) {
    this.#serviceMs = serviceMs;
  }

  /** Lets requests arrive for some seconds. Returns the served ones by sender, and their times. */
  run(seconds: number, arrivals: readonly Arrivals[]) {
    const served = new Map<number, number>();
    const times: number[] = [];
    const due = arrivals.map(() => 0);
    const endMs = this.#nowMs + seconds * 1_000;
    for (; this.#nowMs < endMs; this.#nowMs += 1) {
      while ((this.#queue[0]?.endMs ?? Number.POSITIVE_INFINITY) <= this.#nowMs) {
        const { sender, startMs } = this.#queue.shift() as Queued;
        const tookMs = this.#nowMs - startMs;
        this.lane.leave(sender, this.#nowMs, tookMs);
        served.set(sender, (served.get(sender) ?? 0) + 1);
        times.push(tookMs);
      }
      for (const [i, { sender, perSecond }] of arrivals.entries()) {
        for (due[i] = (due[i] ?? 0) + perSecond / 1_000; (due[i] ?? 0) >= 1; due[i] = (due[i] ?? 0) - 1) {
          if (!this.lane.enter(sender, this.#nowMs)) continue;
          this.#freeAtMs = Math.max(this.#freeAtMs, this.#nowMs) + this.#serviceMs;
          this.#queue.push({ sender, startMs: this.#nowMs, endMs: this.#freeAtMs });
        }
      }
    }
    return { served, times };
  }
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

describe('a lane', () => {
  it('admits as many requests as its limit, and one more for each that ends', () => {
    const lane = new Lane(OPTIONS);
    const admitted = Array.from({ length: 40 }, () => lane.enter(1, 0)).filter(Boolean);
    expect(admitted).toHaveLength(32);
    lane.leave(1, 1, 1);
    expect([lane.enter(1, 1), lane.enter(1, 1)]).toEqual([true, false]);
    expect(lane.stats()).toMatchObject({ inFlight: 32, admitted: 33, refused: 9 });
  });

  it.each([2, 15, 60])('keeps the time to an answer at ten times the capacity, with %i ms a request', (serviceMs) => {
    const server = new OneAtATime(serviceMs);
    const flood = [{ sender: 1, perSecond: 10_000 / serviceMs }];
    server.run(10, flood);
    const { times } = server.run(10, flood);
    expect(mean(times)).toBeGreaterThan(120);
    expect(mean(times)).toBeLessThan(300);
    // Never idle: the whole capacity is used.
    expect(times.length).toBeGreaterThan((0.98 * 10_000) / serviceMs);
  });

  it('admits a burst as before once the overload is over', () => {
    const server = new OneAtATime(60);
    server.run(10, [{ sender: 1, perSecond: 200 }]);
    const { lane } = server;
    expect(lane.stats().limit).toBeLessThan(OPTIONS.first);
    while (lane.stats().inFlight > 0) lane.leave(1, 10_000, undefined);
    const admitted = Array.from({ length: 40 }, () => lane.enter(1, 12_000)).filter(Boolean);
    expect(admitted).toHaveLength(OPTIONS.first);
  });

  it('gives each sender its share beside a greedy one', () => {
    const server = new OneAtATime(15);
    const others = Array.from({ length: 10 }, (_, i) => ({ sender: i + 1, perSecond: 20 }));
    const flood = [{ sender: 0, perSecond: 600 }, ...others];
    server.run(5, flood);
    const { served } = server.run(10, flood);
    const equal = 10_000 / 15 / 11;
    for (const { sender } of others) expect(served.get(sender) ?? 0).toBeGreaterThan(equal / 2);
    expect(served.get(0) ?? 0).toBeLessThan(3 * equal);
  });

  it('lets one sender fill it while nobody is refused', () => {
    const lane = new Lane(OPTIONS);
    lane.enter(2, 0);
    expect(Array.from({ length: 31 }, () => lane.enter(1, 0)).every(Boolean)).toBe(true);
  });

  it('refuses nobody where few requests are slow', () => {
    const lane = new Lane(OPTIONS);
    lane.enter(1, 0);
    lane.leave(1, 5, 5);
    for (let ms = 0; ms < 60_000; ms += 2_000) {
      lane.enter(1, ms);
      lane.leave(1, ms + 2_000, 2_000);
    }
    expect(lane.stats().limit).toBe(OPTIONS.first);
  });

  it('keeps its limit where the fastest answer takes long, as on a slow disk', () => {
    const lane = new Lane(OPTIONS);
    for (let ms = 0; ms < 60_000; ms += 450) {
      for (let n = 0; n < 32; n += 1) lane.enter(1, ms);
      lane.enter(1, ms);
      for (let n = 0; n < 32 && lane.stats().inFlight > 0; n += 1) lane.leave(1, ms + 450, 450);
    }
    expect(lane.stats().limit).toBeGreaterThanOrEqual(OPTIONS.first);
  });

  it('calls a request late only while others are refused', () => {
    const lane = new Lane({ ...OPTIONS, first: 1 });
    lane.enter(1, 0);
    expect(lane.isLate(10_000, 0)).toBe(false);
    lane.enter(1, 0);
    expect([lane.isLate(299, 0), lane.isLate(301, 0), lane.isLate(301, 1_000)]).toEqual([false, true, false]);
  });
});
