import { LEVEL_ERROR } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { NewErrors } from '../src/lines/new-errors.ts';

const HOUR_MS = 3_600_000;
const refused = (port: number) => ({ level: LEVEL_ERROR, log: `connect() to 127.0.0.1:${port} failed (111: refused)` });

describe('new errors of a host', () => {
  it('are those that differ in more than numbers, or were away for an hour', () => {
    let nowMs = 0;
    const errors = new NewErrors(() => nowMs);
    const found = [refused(80), refused(81), { ...refused(80), log: 'no space left' }].map((line) => errors.note(line));
    nowMs = HOUR_MS;
    found.push(errors.note(refused(80)));
    nowMs = 2 * HOUR_MS + 1;
    found.push(errors.note(refused(82)), errors.note({ ...refused(80), level: LEVEL_ERROR + 1, log: 'a warning' }));
    expect(found).toEqual([true, false, true, false, true, false]);
  });

  it('are noticed in a flood of others, if their text is known', () => {
    let nowMs = 0;
    const errors = new NewErrors(() => nowMs);
    const full = { level: LEVEL_ERROR, log: 'no space left' };
    errors.note(full);
    nowMs = 2 * HOUR_MS;
    for (let i = 0; i < 100; i += 1) errors.note(refused(i));
    expect(errors.note({ ...full, service: 'shop' })).toBe(false);
    expect(errors.note(full)).toBe(true);
  });

  it('are not looked for in every line of a flood', () => {
    let nowMs = 0;
    const errors = new NewErrors(() => nowMs);
    for (let i = 0; i < 100; i += 1) errors.note(refused(i));
    const other = { level: LEVEL_ERROR, log: 'no space left' };
    expect(errors.note(other)).toBe(false);
    nowMs = 1_000;
    expect(errors.note(other)).toBe(true);
  });
});
