import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Step } from '@quarterdeck/express/parts';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requestLog } from './request-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Runs requests through a log of this level; returns its lines. */
function setUp(level: string, rate: number | undefined) {
  const lines: { readonly level: number; readonly msg: string; readonly skipped?: number }[] = [];
  const log = pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const step = requestLog(log, rate);
  return {
    lines,
    request(url = '/x') {
      const res = Object.assign(new EventEmitter(), { statusCode: 200 });
      const req = { method: 'GET', url, id: 'r', socket: {} };
      step(req as unknown as Parameters<Step>[0], res as unknown as ServerResponse);
      res.emit('close');
    },
  };
}

describe('the access log', () => {
  it('has each request at level info, without its query and without secrets', () => {
    const { lines, request } = setUp('info', 10);
    request('/admin-api/qd_t_0123456789?token=qd_s_secret');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 30,
      msg: 'request',
      method: 'GET',
      path: '/admin-api/qd_t_...',
      status: 200,
    });
    expect(JSON.stringify(lines)).not.toMatch(/secret|0123456789/);
  });

  it('has a sample above its rate, and says how many requests it leaves out', () => {
    const { lines, request } = setUp('info', 10);
    for (let n = 0; n < 500; n += 1) request();
    expect(lines.map(({ skipped }) => skipped)).toEqual(Array(10).fill(undefined));
    vi.advanceTimersByTime(1_000);
    for (let n = 0; n < 3; n += 1) request();
    expect(lines.slice(10).map(({ skipped }) => skipped)).toEqual([490, undefined, undefined]);
  });

  it('is at level debug unless it is turned on', () => {
    const quiet = setUp('info', undefined);
    quiet.request();
    expect(quiet.lines).toEqual([]);
    const { lines, request } = setUp('debug', undefined);
    for (let n = 0; n < 500; n += 1) request();
    expect(lines).toHaveLength(500);
  });
});
