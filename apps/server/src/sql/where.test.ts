import { describe, expect, it } from 'vitest';
import { Where } from './where.ts';

describe('Where', () => {
  it('is empty without a condition', () => {
    expect(new Where().text).toBe('');
  });

  it('has the conditions with a defined value, and the values in order', () => {
    const where = new Where().andIf('a = ?', 1).andIf('b = ?', undefined).andIf('c = ?', '').andIf('d = ?', 0);
    expect([where.text, where.values]).toEqual([' WHERE a = ? AND c = ? AND d = ?', [1, '', 0]]);
  });

  it('has conditions without a value, with several, and those of another', () => {
    const other = new Where().and('e BETWEEN ? AND ?', 2, 3);
    const where = new Where().and('d IS NULL').merge(other).andIf('f = ?', 4);
    expect([where.text, where.values]).toEqual([' WHERE d IS NULL AND e BETWEEN ? AND ? AND f = ?', [2, 3, 4]]);
    expect(other.values).toEqual([2, 3]);
  });
});
