import { AppError } from '@quarterdeck/core';
import { describe, expect, it, vi } from 'vitest';
import { LineQueue, type OnLines } from './line-queue.ts';
import type { SyslogLine } from './syslog-line.ts';

function line(log: string): SyslogLine {
  return { level: 4, log, logTime: 0, appId: 0, reqId: '', count: 1, hostname: '', appName: '' };
}

/** Waits for a condition, on a slow machine too. */
const until = (check: () => void) => vi.waitFor(check, 50_000);
const ADDRESS = '192.0.2.1';

function start(onLines: OnLines, limits: { maxLines?: number; maxBytes?: number } = {}) {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  return { queue: new LineQueue({ onLines, log, ...limits }), log };
}

/** Collects the delivered batches; `gate` delays them until it is opened. */
function store() {
  const batches: { lines: string[]; hostname: string }[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let underWay = 0;
  const most = { all: 0 };
  const onLines: OnLines = async (lines, sender) => {
    underWay += 1;
    most.all = Math.max(most.all, underWay);
    await gate;
    underWay -= 1;
    batches.push({ lines: lines.map((item) => item.log), hostname: sender.hostname });
  };
  return { batches, onLines, open, most };
}

describe('LineQueue', () => {
  it('separates senders by address and by host name', async () => {
    const { batches, onLines, open } = store();
    open();
    const { queue } = start(onLines);
    queue.add(line('1'), ADDRESS, 'a');
    queue.add(line('2'), ADDRESS, 'b');
    queue.add(line('3'), '192.0.2.2', 'a');
    await queue.close(1_000);
    expect(batches.map((batch) => batch.lines)).toEqual([['1'], ['2'], ['3']]);
  });

  it('delivers at most 2,000 lines at once, in order, one batch after the other', async () => {
    const { batches, onLines, open, most } = store();
    const { queue } = start(onLines);
    for (let i = 0; i < 5_700; i += 1) queue.add(line(String(i)), ADDRESS, 'h');
    open();
    await queue.close(5_000);
    expect(batches.map((batch) => batch.lines.length)).toEqual([500, 2_000, 2_000, 1_200]);
    expect(batches.flatMap((batch) => batch.lines)).toEqual(Array.from({ length: 5_700 }, (_, i) => String(i)));
    expect(most.all).toBe(1);
  });

  it('has at most 16 batches in flight', async () => {
    const { batches, onLines, open, most } = store();
    const { queue } = start(onLines);
    for (let i = 0; i < 100; i += 1) queue.add(line('x'), ADDRESS, `h${i}`);
    await until(() => expect(most.all).toBe(16));
    open();
    await queue.close(5_000);
    expect(batches).toHaveLength(100);
    expect(most.all).toBe(16);
  });

  it('reports its fill level by lines or by bytes', () => {
    const { onLines } = store();
    const few = start(onLines, { maxLines: 4 }).queue;
    few.add(line('x'), ADDRESS, 'h');
    expect(few.fill).toBe(0.25);
    const small = start(onLines, { maxBytes: 2_400 }).queue;
    small.add(line('x'.repeat(1_000)), ADDRESS, 'h');
    expect(small.fill).toBe(0.5);
  });

  it('retries the same batch until it is stored, in order', async () => {
    const stored: string[] = [];
    let failures = 2;
    const { queue, log } = start((lines) => {
      if (failures-- > 0) throw new AppError('database_busy');
      stored.push(...lines.map((item) => item.log));
    });
    queue.add(line('1'), ADDRESS, 'h');
    await until(() => expect(queue.retries).toBe(1));
    queue.add(line('2'), ADDRESS, 'h');
    await until(() => expect(stored).toEqual(['1', '2']));
    expect(queue.retries).toBe(2);
    expect(queue.counts).toEqual({ stored: 2, refused: 0 });
    expect(log.warn).toHaveBeenCalledOnce();
  });

  it('continues with other senders while one keeps failing', async () => {
    const stored: string[] = [];
    const { queue } = start((lines, sender) => {
      if (sender.hostname.startsWith('bad')) throw new Error('no');
      stored.push(...lines.map((item) => item.log));
    });
    for (let i = 0; i < 20; i += 1) queue.add(line('x'), ADDRESS, `bad${i}`);
    await until(() => expect(queue.retries).toBeGreaterThanOrEqual(20));
    queue.add(line('good'), ADDRESS, 'good');
    await until(() => expect(stored).toEqual(['good']));
    await queue.close(1);
  });

  it('discards only the line with a final error, and logs it', async () => {
    const stored: string[] = [];
    const { queue, log } = start((lines) => {
      if (lines.some((item) => item.log === 'bad')) throw new AppError('validation_failed');
      stored.push(...lines.map((item) => item.log));
    });
    for (const text of ['1', '2', 'bad', '3', '4']) queue.add(line(text), ADDRESS, 'h');
    await queue.close(1_000);
    expect(stored).toEqual(['1', '2', '3', '4']);
    expect(queue.counts).toEqual({ stored: 4, refused: 1 });
    expect(log.error).toHaveBeenCalledOnce();
  });

  it('counts lines that are not stored before the time limit to close, and stops retrying', async () => {
    const onLines = vi.fn(() => Promise.reject(new Error('down')));
    const { queue, log } = start(onLines);
    queue.add(line('1'), ADDRESS, 'h');
    queue.add(line('2'), ADDRESS, 'other');
    expect(await queue.close(30)).toBe(2);
    expect(queue.counts).toEqual({ stored: 0, refused: 2 });
    expect(log.warn).toHaveBeenCalled();
    const tries = onLines.mock.calls.length;
    await until(() => expect(queue.size).toBe(0));
    expect(onLines).toHaveBeenCalledTimes(tries);
  });
});
