import { AppError, compileFilter, type ErrlogEntry, type Line, type LinesMissed } from '@quarterdeck/core';
import type { LineQuery, LineReads } from '@quarterdeck/store';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { compileLiveFilter } from './live-filter.ts';
import { createLiveLines, type LineSubscription, type LiveLines } from './live-lines.ts';

const LOOK_MS = 250;

const lineOf = (id: number, log = `line ${id}`): Line => ({
  ...{ id: String(id), time: 1_000, level: 4, log, fields: {}, group: 7, src: 0, source: 'web', host: 'web' },
  ...{ service: '', app_id: 0, req_id: '', count: 1 },
});

/** Stored lines; `failing` makes reads fail, and `failAt` the read of that number, counted from 1 and with last ids. */
class Store implements Pick<LineReads, 'newerThan' | 'lastId'> {
  readonly lines: Line[] = [];
  failing: Error | undefined;
  failAt = 0;
  calls = 0;
  reads = 0;
  /** Lines that arrive after each read. */
  addOnRead = 0;

  add(n: number, log?: string): void {
    for (let i = 0; i < n; i += 1) this.lines.push(lineOf(this.lines.length + 1, log));
  }

  async newerThan(id: string, limit: number, { filter = { kind: 'all' } }: LineQuery = {}) {
    this.reads += 1;
    this.#called();
    if (this.failing !== undefined) throw this.failing;
    const read = this.lines.slice(Number(id), Number(id) + limit);
    const last = read.at(-1)?.id ?? id;
    const test = compileFilter(filter, 0);
    const data = read.filter((line) => test({ ...line, fields: () => line.fields }));
    const atEnd = Number(last) >= this.lines.length;
    this.add(this.addOnRead);
    return { data, last, atEnd };
  }

  async lastId() {
    this.#called();
    return String(this.lines.length);
  }

  #called(): void {
    this.calls += 1;
    if (this.calls === this.failAt) throw new Error('broken');
  }
}

interface Subscriber {
  readonly ids: number[];
  readonly missed: LinesMissed[];
  behind: boolean;
  gone: boolean;
  subscription: LineSubscription;
}

const upTo = (n: number, from = 1) => Array.from({ length: n - from + 1 }, (_, i) => from + i);

const GROUP: ErrlogEntry = { id: 7, level: 4, count: 1, src: 0, log_time: 1_000, log: 'line 1', state: 'new' };
const groupsById = vi.fn(async () => [GROUP]);

let store: Store;
let live: LiveLines;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  store = new Store();
  live = createLiveLines({ lines: store, groups: { groupsById }, log: pino({ enabled: false }) });
});
afterEach(() => {
  live.close();
  vi.useRealTimers();
});

async function subscribe(after?: number, filter?: string): Promise<Subscriber> {
  const subscriber = { ids: [] as number[], missed: [] as LinesMissed[], behind: false, gone: false };
  const subscription = await live.subscribe(
    {
      filter: compileLiveFilter({ filter }, 0),
      onLine: (id) => subscriber.ids.push(id),
      onMissed: (_, missed) => subscriber.missed.push(missed),
      isBehind: () => subscriber.behind,
      ready: async () => !subscriber.gone,
    },
    after ?? (await live.position()),
  );
  return Object.assign(subscriber, { subscription });
}

/** Lets the time of one look pass, and waits until it has ended. */
async function look(): Promise<void> {
  await vi.advanceTimersByTimeAsync(LOOK_MS);
  await expect.poll(() => vi.getTimerCount()).toBe(1);
}

describe('live lines', () => {
  it('come once and in order, from the moment of the subscription', async () => {
    store.add(5);
    const one = await subscribe();
    store.add(5);
    await look();
    const two = await subscribe();
    store.add(5);
    await look();
    expect(one.ids).toEqual(upTo(15, 6));
    expect(two.ids).toEqual(upTo(15, 11));
    expect([one.subscription.position(), two.subscription.position()]).toEqual([15, 15]);
  });

  it('are read once for all subscribers, and not at all without one', async () => {
    const subscribers = await Promise.all([subscribe(), subscribe(), subscribe()]);
    const before = store.reads;
    store.add(1);
    await look();
    await look();
    expect(store.reads).toBe(before + 1);
    for (const { subscription } of subscribers) subscription.stop();
    store.add(3);
    await vi.advanceTimersByTimeAsync(LOOK_MS * 10);
    expect(store.reads).toBe(before + 1);
    expect(subscribers.map(({ ids }) => ids)).toEqual([[1], [1], [1]]);
  });

  it('continue after an id, also while others are ahead', async () => {
    store.add(2_500);
    const ahead = await subscribe();
    const late = await subscribe(10);
    expect(late.ids).toEqual(upTo(2_500, 11));
    store.add(3);
    await look();
    expect(late.ids).toEqual(upTo(2_503, 11));
    expect(ahead.ids).toEqual([2_501, 2_502, 2_503]);
  });

  it('come once to a subscriber who caught up to lines that the others wait for', async () => {
    const waiting = await subscribe();
    store.add(3);
    const late = await subscribe(0);
    await look();
    expect([late.ids, waiting.ids]).toEqual([upTo(3), upTo(3)]);
  });

  it.each(nonEmpty(upTo(8)))(
    'come without a gap to two who subscribe at once while lines arrive: %i',
    async (turns) => {
      store.addOnRead = 2;
      const later = async () => {
        // The second one reads at every place of what the first one does.
        for (let turn = 1; turn < turns; turn += 1) await null;
        return subscribe(0, 'nothing');
      };
      const [one] = await Promise.all([subscribe(0), later()]);
      store.addOnRead = 0;
      await look();
      expect(one.ids).toEqual(upTo(store.lines.length));
    },
  );

  it('are counted for a subscriber who is behind, who learns of it once it reads again', async () => {
    const [slow, fast] = [await subscribe(), await subscribe()];
    store.add(2);
    await look();
    slow.behind = true;
    store.add(3);
    await look();
    store.add(4);
    await look();
    expect([slow.missed, slow.subscription.position()]).toEqual([[], 2]);
    slow.behind = false;
    store.add(1);
    await look();
    expect(slow.missed).toEqual([{ count: 8, exact: true }]);
    store.add(1);
    await look();
    expect(slow.ids).toEqual([1, 2, 11]);
    expect(fast.ids).toEqual(upTo(11));
    expect(fast.missed).toEqual([]);
  });

  it('are left out beyond 250 of one look', async () => {
    const all = await subscribe();
    const few = await subscribe(undefined, '"line 900"');
    store.add(1_000);
    await look();
    expect(all.ids).toEqual(upTo(250));
    expect(all.missed).toEqual([{ count: 750, exact: true }]);
    expect([few.ids, few.missed]).toEqual([[900], []]);
  });

  it('are skipped by all beyond four reads of one look', async () => {
    const one = await subscribe(undefined, 'nothing');
    store.add(10_000);
    await look();
    expect(one.missed).toEqual([{ count: 6_000, exact: false }]);
    store.add(1, 'nothing');
    await look();
    expect(one.ids).toEqual([10_001]);
  });

  it('of a long absence are skipped after ten thousand', async () => {
    store.add(25_000);
    const one = await subscribe(0);
    expect(one.ids).toEqual(upTo(10_000));
    expect(one.missed).toEqual([{ count: 15_000, exact: false }]);
    store.add(1);
    await look();
    expect(one.ids.at(-1)).toBe(25_001);
  });

  it('wait for a store that refuses, and skip none', async () => {
    const one = await subscribe();
    for (const failing of [new AppError('overloaded'), new Error('broken')]) {
      store.failing = failing;
      store.add(2);
      await look();
    }
    expect(one.ids).toEqual([]);
    store.failing = undefined;
    await look();
    expect(one.ids).toEqual([1, 2, 3, 4]);
  });

  it('come once where any read of a look fails', async () => {
    const marked = upTo(35).map((n) => n * 100);
    let failures = 0;
    for (let failAt = 1; failures === failAt - 1; failAt += 1) {
      store = new Store();
      live = createLiveLines({ lines: store, groups: { groupsById }, log: pino({ enabled: false }) });
      const one = await subscribe(0, 'marked');
      const other = await subscribe(0, 'state:new marked');
      for (const _ of marked) {
        store.add(99);
        store.add(1, 'marked');
      }
      [store.calls, store.failAt] = [0, failAt];
      await look();
      if (store.calls >= failAt) failures += 1;
      await look();
      expect([one.ids, other.ids], `failure at read ${failAt}`).toEqual([marked, marked]);
      expect([one.missed, other.missed]).toEqual([[], []]);
      live.close();
    }
    // Four reads, and a last id before them.
    expect(failures).toBe(5);
  });

  it('come once to a client that connects again after a failure at any read of what it missed', async () => {
    const filter = compileLiveFilter({}, 0);
    let failures = 0;
    for (let failAt = 1; failures === failAt - 1; failAt += 1) {
      store = new Store();
      store.add(12_500);
      live = createLiveLines({ lines: store, groups: { groupsById }, log: pino({ enabled: false }) });
      const [ids, missed]: [number[], LinesMissed[]] = [[], []];
      let position = 0;
      const connect = () =>
        live.subscribe(
          {
            filter,
            onLine: (id) => {
              ids.push(id);
              position = id;
            },
            onMissed: (id, one) => {
              missed.push(one);
              position = id;
            },
            isBehind: () => false,
            ready: async () => true,
          },
          position,
        );
      store.failAt = failAt;
      const first = await connect().catch(() => undefined);
      if (first === undefined) failures += 1;
      await (first === undefined && connect());
      const total = ids.length + missed.reduce((sum, { count }) => sum + count, 0);
      expect([ids, total], `failure at read ${failAt}`).toEqual([upTo(ids.length), 12_500]);
      live.close();
    }
    expect(failures).toBe(12);
  });

  it('are compared with the state of their groups, which may fail once', async () => {
    const one = await subscribe(undefined, 'state:new');
    const other = await subscribe(undefined, 'state:muted');
    groupsById.mockRejectedValueOnce(new Error('broken'));
    store.add(2);
    await look();
    expect(one.ids).toEqual([]);
    await look();
    expect([one.ids, other.ids]).toEqual([[1, 2], []]);
  });

  it('are no longer read for a client that left while it caught up', async () => {
    store.add(50);
    const ready = vi.fn(async () => ready.mock.calls.length < 10);
    const ids: number[] = [];
    const filter = compileLiveFilter({}, 0);
    await live.subscribe({ filter, ready, onLine: (id) => ids.push(id), onMissed: () => {}, isBehind: () => false }, 0);
    expect(ids).toEqual(upTo(9));
    const before = store.reads;
    await vi.advanceTimersByTimeAsync(LOOK_MS * 4);
    expect(store.reads).toBe(before);
  });
});
