import { describe, expect, it } from 'vitest';
import { filesBelow } from '../facts/files.ts';
import { clockWatcher } from './clock.ts';

const { signal } = new AbortController();
const START_MS = 1_800_000_000_000;

/** A host with a wall clock and a time since the boot. */
function hostWithClock() {
  const host = { wallMs: START_MS, uptimeMs: 5_000_000, boot: 'one', delayMs: 0 };
  const text = async (path: string): Promise<string> => {
    if (path !== '/proc/uptime') return `${host.boot}\n`;
    const shown = `${(host.uptimeMs / 1000).toFixed(2)} 100.00\n`;
    host.wallMs += host.delayMs;
    return shown;
  };
  const { look } = clockWatcher({ files: { ...filesBelow('/nowhere'), text }, now: () => host.wallMs });
  const pass = (ms: number): void => {
    host.wallMs += ms;
    host.uptimeMs += ms;
  };
  return { host, look, pass };
}

describe('the clock', () => {
  it('reports a step forward and one back, each once', async () => {
    const { host, look, pass } = hostWithClock();
    const first = await look(undefined, signal);
    pass(15_000);
    host.wallMs += 3_600_000;
    const second = await look(first.observed, signal);
    expect(second.changes).toEqual([{ kind: 'clock', field: 'clock', from: '', to: 'set forward by 3600.0 s' }]);
    pass(15_000);
    expect((await look(second.observed, signal)).changes).toEqual([]);
    host.wallMs -= 2_500;
    expect((await look(second.observed, signal)).changes).toMatchObject([{ to: 'set back by 2.5 s' }]);
  });

  it('ignores steps up to two seconds, until their sum is more', async () => {
    const { host, look, pass } = hostWithClock();
    const first = await look(undefined, signal);
    pass(15_000);
    host.wallMs += 1_500;
    const second = await look(first.observed, signal);
    expect(second.changes).toEqual([]);
    host.wallMs += 1_500;
    expect((await look(second.observed, signal)).changes).toMatchObject([{ to: 'set forward by 3.0 s' }]);
  });

  it('begins anew after a boot', async () => {
    const { host, look } = hostWithClock();
    const { observed } = await look(undefined, signal);
    Object.assign(host, { boot: 'two', uptimeMs: 1_000 });
    expect((await look(observed, signal)).changes).toEqual([]);
  });

  it('tells nothing when reading the clocks takes long, or without a time since the boot', async () => {
    const { host, look } = hostWithClock();
    host.delayMs = 3_000;
    await expect(look(undefined, signal)).rejects.toThrow('cannot compare');
    const { look: lookNowhere } = clockWatcher({ files: filesBelow('/nowhere'), now: Date.now });
    await expect(lookNowhere(undefined, signal)).rejects.toThrow('cannot compare');
  });

  it('is compared with the boot of this host', async () => {
    // A clock that stands still: a sample never takes too long.
    const { look } = clockWatcher({ files: filesBelow('/'), now: () => 0 });
    expect((await look(undefined, signal)).observed).toEqual({
      boot: expect.stringMatching(/^[\da-f-]{36}$/),
      offset_ms: expect.stringMatching(/^-\d+$/),
    });
  });
});
