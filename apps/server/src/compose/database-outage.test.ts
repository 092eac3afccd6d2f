import { DatabaseError } from '@quarterdeck/core/db';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { quietDuringOutage } from './database-outage.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A log that notes its lines, over a database that is away while `away` is set. */
function setUp() {
  const lines: { readonly msg: string; readonly seconds?: number; readonly failures?: number }[] = [];
  const state = { away: true };
  const ping = async () => {
    if (state.away) throw new DatabaseError('unavailable');
  };
  const inner = pino({ level: 'info', base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, state, quiet: quietDuringOutage(inner, { ping }, Date.now) };
}

const err = new DatabaseError('unavailable');

it('writes one line at the start, one a minute and one at the end of an outage', async () => {
  const { lines, state, quiet } = setUp();
  for (let second = 0; second < 150; second += 1) {
    quiet.log.error({ err: new Error('a job failed', { cause: err }) }, 'request failed');
    quiet.log.warn({ err }, 'a job failed');
    await vi.advanceTimersByTimeAsync(1_000);
  }
  state.away = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the database cannot be reached',
    'the database still cannot be reached',
    'the database still cannot be reached',
    'the database answers again',
  ]);
  expect(lines.at(-1)).toMatchObject({ seconds: 150, failures: 300 });
});

it('passes everything else on, also during an outage, and tells the next one', async () => {
  const { lines, state, quiet } = setUp();
  quiet.log.error({ err }, 'first');
  quiet.log.error({ err: new Error('bug') }, 'a defect');
  quiet.log.warn('plain');
  quiet.log.info({ err }, 'information');
  state.away = false;
  await vi.advanceTimersByTimeAsync(1_000);
  quiet.log.error({ err: new DatabaseError('full') }, 'the disk is full');
  quiet.log.error({ err }, 'second');
  quiet.close();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the database cannot be reached',
    'a defect',
    'plain',
    'information',
    'the database answers again',
    'the disk is full',
    'the database cannot be reached',
  ]);
});
