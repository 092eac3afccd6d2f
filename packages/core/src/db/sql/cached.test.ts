import { describe, expect, it } from 'vitest';
import { cached } from './cached.ts';

describe('cached', () => {
  it('creates a statement once, in both dialects', () => {
    const made = cached('SELECT ? AS made_once');
    expect(made).toEqual({ sqlite: 'SELECT ? AS made_once', postgresql: 'SELECT $1 AS made_once' });
    expect(cached('SELECT ? AS made_once')).toBe(made);
  });

  it('drops the oldest of very many', () => {
    const oldest = cached('SELECT 1 AS the_oldest');
    for (let i = 0; i < 500; i += 1) cached(`SELECT ${i} AS another`);
    const newest = cached('SELECT 499 AS another');
    expect(cached('SELECT 1 AS the_oldest')).not.toBe(oldest);
    expect(cached('SELECT 499 AS another')).toBe(newest);
  });
});
