import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.ts';
import type { Look, Observed, Watcher } from '../../src/observe/watcher.ts';
import { WakeSignal } from '../../src/process/wake-signal.ts';
import { createWaker } from '../../src/watch/watch.ts';
import { LookRequest, runWatchers } from '../../src/watch/watch-loop.ts';

const NOTHING: Look = { observed: {}, changes: [] };

/** Runs watchers for some time of a test clock, in which only sleeping and looking take time. */
async function runFor(
  forMs: number,
  watchers: (
    clock: { nowMs: number; cpuMs: number; commandsMs: number; stop: AbortController },
    lookSoon: LookRequest,
  ) => readonly Watcher[],
  lookMaxMs?: number,
) {
  const clock = { nowMs: 1_000, cpuMs: 77, commandsMs: 33, stop: new AbortController() };
  const lookSoon = new LookRequest();
  const lines: string[] = [];
  const kept: [string, Look][] = [];
  const observed = new Map<string, Observed>();
  await runWatchers({
    watchers: watchers(clock, lookSoon),
    store: {
      observed: (name) => observed.get(name),
      async keep(name, look) {
        kept.push([name, look]);
        observed.set(name, look.observed);
      },
    },
    log: createLog({ write: (line) => void lines.push(line) }, 'debug', false),
    monotonicMs: () => clock.nowMs,
    cpuMs: () => clock.cpuMs,
    commandsCpuMs: () => clock.commandsMs,
    random: () => 0.5,
    async sleep(ms, signal) {
      await turn();
      clock.nowMs += signal.aborted ? 0 : ms;
      if (clock.nowMs > forMs) clock.stop.abort();
    },
    signal: clock.stop.signal,
    lookSoon,
    ...(lookMaxMs === undefined ? {} : { lookMaxMs }),
  });
  return { kept, messages: lines.map((line) => JSON.parse(line) as { msg: string; watcher: string }) };
}

const watcher = (name: string, everyS: number, look: Watcher['look']): Watcher => ({ name, everyS, look });

describe('the loop of watchers', () => {
  it('looks before its time where a new error asks for it, at most every ten seconds', async () => {
    const times: number[] = [];
    await runFor(40_000, (clock, lookSoon) => [
      watcher('errors', 2, async () => {
        if (clock.nowMs > 6_000 && clock.nowMs < 30_000) lookSoon.ask();
        return NOTHING;
      }),
      watcher('rare', 600, async () => {
        times.push(clock.nowMs);
        return NOTHING;
      }),
    ]);
    expect(times).toEqual([3_500, 7_500, 17_500, 27_500]);
  });

  it('looks at each interval, and gives each watcher its last observation', async () => {
    const before: unknown[] = [];
    const { kept } = await runFor(121_000, () => [
      watcher('fast', 10, async (last) => {
        before.push(last);
        return { observed: { n: String(before.length) }, changes: [] };
      }),
      watcher('slow', 60, async () => NOTHING),
    ]);
    expect(kept.filter(([name]) => name === 'fast')).toHaveLength(12);
    expect(kept.filter(([name]) => name === 'slow')).toHaveLength(2);
    expect(before.slice(0, 3)).toEqual([undefined, { n: '1' }, { n: '2' }]);
  });

  it('uses at most half a percent of a core, beyond a start of two seconds', async () => {
    let used = 0;
    await runFor(3_600_000, (clock) => [
      watcher('costly', 1, async () => {
        clock.cpuMs += 300;
        used += 300;
        return NOTHING;
      }),
      watcher('cheap', 1, async () => {
        clock.cpuMs += 1;
        used += 1;
        return NOTHING;
      }),
    ]);
    expect(used).toBeGreaterThan(3_600_000 * 0.004);
    expect(used).toBeLessThan(3_600_000 * 0.005 + 2_300);
  });

  it('counts the commands of a look, and not those of other parts', async () => {
    let [used, looks] = [0, 0];
    await runFor(3_600_000, (clock) => [
      watcher('commands', 1, async () => {
        clock.nowMs += 400;
        clock.commandsMs += 300;
        used += 300;
        return NOTHING;
      }),
    ]);
    expect(used).toBeGreaterThan(3_600_000 * 0.004);
    expect(used).toBeLessThan(3_600_000 * 0.005 + 2_300);
    await runFor(3_600_000, (clock) => [
      watcher('short', 10, async () => {
        looks += 1;
        clock.nowMs += 1;
        // The upgrade command ends.
        if (looks === 2) clock.commandsMs += 3_600_000;
        return NOTHING;
      }),
    ]);
    expect(looks).toBeGreaterThan(350);
  });

  it('logs the first failure of a watcher and its end, and goes on with the others', async () => {
    let looks = 0;
    const { kept, messages } = await runFor(61_000, () => [
      watcher('broken', 10, async () => {
        looks += 1;
        if (looks < 4) throw new Error('no such file');
        return NOTHING;
      }),
      watcher('sound', 10, async () => NOTHING),
    ]);
    expect(messages.map(({ msg, watcher: name }) => [name, msg])).toEqual([
      ['broken', 'the watcher fails; trying on'],
      ['broken', 'the watcher works again'],
    ]);
    expect(kept.filter(([name]) => name === 'sound')).toHaveLength(6);
  });

  it('gives up a look that takes too long, and does not begin another one beside it', async () => {
    let running = 0;
    let most = 0;
    const signals: AbortSignal[] = [];
    const { kept, messages } = await runFor(
      61_000,
      () => [
        watcher('stuck', 10, async (_, signal) => {
          signals.push(signal);
          running += 1;
          most = Math.max(most, running);
          return new Promise<Look>(() => undefined);
        }),
        watcher('sound', 10, async () => NOTHING),
      ],
      5,
    );
    expect(most).toBe(1);
    expect(signals).toHaveLength(1);
    expect(signals[0]?.aborted).toBe(true);
    expect(messages).toHaveLength(1);
    expect(kept.filter(([name]) => name === 'sound')).toHaveLength(6);
  });

  it('ends at once when the agent stops, also within a look, and logs nothing', async () => {
    const { kept, messages } = await runFor(60_000, ({ stop }) => [
      watcher('long', 10, () => {
        stop.abort();
        return new Promise<Look>(() => undefined);
      }),
    ]);
    expect([kept, messages]).toEqual([[], []]);
  });
});

it('wakes reports at most every five seconds', async () => {
  let nowMs = 0;
  const due = new WakeSignal();
  const wake = createWaker(due, () => nowMs);
  const signal = new AbortController().signal;
  wake();
  wake();
  await due.wait(60_000, signal);
  nowMs = 4_990;
  wake();
  await due.wait(60_000, signal);
  nowMs = 5_000;
  wake();
  const stop = new AbortController();
  let isWoken = false;
  const woken = due.wait(60_000, stop.signal).then(() => {
    isWoken = !stop.signal.aborted;
  });
  await turn();
  stop.abort();
  await woken;
  expect(isWoken).toBe(false);
});
