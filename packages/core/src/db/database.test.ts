import { describe, expect, it } from 'vitest';
import { statement } from './database.ts';

describe('statement', () => {
  it('numbers the placeholders of one text for PostgreSQL, and leaves alone what is in quotes', () => {
    const text = `SELECT '?', "?", 'it''s ?' FROM t WHERE a = ? AND b = ?`;
    expect(statement(text)).toEqual({
      sqlite: text,
      postgresql: `SELECT '?', "?", 'it''s ?' FROM t WHERE a = $1 AND b = $2`,
    });
  });

  it('asks for the text of each dialect where a part of it differs', () => {
    expect(statement((dialect) => `SELECT ? /* ${dialect} */ WHERE a = ?`)).toEqual({
      sqlite: 'SELECT ? /* sqlite */ WHERE a = ?',
      postgresql: 'SELECT $1 /* postgresql */ WHERE a = $2',
    });
  });

  it('takes two texts as they are', () => {
    const both = { sqlite: 'SELECT ?', postgresql: 'SELECT $1::int8' };
    expect(statement(both)).toEqual(both);
  });
});
