import { describe, expect, it } from 'vitest';
import { fit, fitRows } from './fit.ts';

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

describe('fit', () => {
  it('keeps a value that fits as it is', () => {
    const value = { id: 1, log: 'text', none: null, yes: true, list: [1, 'a', { b: 2.5 }], fields: {} };
    expect(fit(value, 1000)).toEqual({ value, isCut: false });
  });

  it('cleans texts and names, and drops absent members', () => {
    const { value, isCut } = fit({ 'na\u202Eme': '\u001b[31mred', absent: undefined }, 1000);
    expect(value).toEqual({ name: 'red' });
    expect(isCut).toBe(false);
  });

  it('gives a name of the prototype to a member, and to nothing else', () => {
    const { value } = fit(JSON.parse('{"__proto__": {"admin": true}}'), 1000);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true}}');
  });

  it.each([
    ['a long text', 'x'.repeat(100_000)],
    ['a text that JSON escapes', '"\\\n'.repeat(30_000)],
    ['a text of surrogate pairs', '🙂'.repeat(50_000)],
    ['many texts', Array.from({ length: 5000 }, () => 'some text')],
    ['many numbers', Array.from({ length: 50_000 }, (_, i) => i)],
    ['many members', Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`name ${i}`, i]))],
    ['long names', { ['n'.repeat(100_000)]: 1, ['m'.repeat(100_000)]: 2 }],
    ['deep lists', Array.from({ length: 1000 }, () => [[['text']]])],
  ])('cuts %s and says so', (_, value) => {
    const fitted = fit(value, 1000);
    expect(fitted.isCut).toBe(true);
    expect(sizeOf(fitted.value)).toBeLessThan(1200);
    expect(sizeOf(fitted.value)).toBeGreaterThan(100);
    expect(JSON.stringify(fitted.value)).not.toMatch(/\\ud[89a-f]/);
  });

  it('leaves out no row, however large the first ones are', () => {
    const rows = Array.from({ length: 50 }, (_, id) => ({ id, log: 'x'.repeat(10_000) }));
    const { value, isCut } = fitRows(rows, 40_000);
    expect(isCut).toBe(true);
    expect((value as { id: number }[]).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(sizeOf(value)).toBeLessThan(42_000);
    expect(fitRows([], 40_000)).toEqual({ value: [], isCut: false });
  });
});
