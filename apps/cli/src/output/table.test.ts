import { describe, expect, it } from 'vitest';
import { cellText, csvCell, valueAt } from './cells.ts';
import { recordText, tableText } from './table.ts';

const surface = (columns?: number) => ({ columns, stream: { isTTY: false } as NodeJS.WriteStream });
const row = { id: 7, name: 'a'.repeat(30), log: 'b'.repeat(60), level: 4 };

describe('a table', () => {
  it('takes columns from the widest cells first, and numbers stand on the right', () => {
    const lines = tableText([row, { ...row, id: 1234 }], ['id', 'name', 'log'], surface(60)).split('\n');
    expect(lines[0]).toMatch(/^ {2}ID {2}NAME {24}/);
    expect(lines[1]).toBe(`   7  ${'a'.repeat(25)}…  ${'b'.repeat(25)}…`);
  });

  it('is not cut in a pipe', () => {
    expect(tableText([row], ['log'], surface())).toBe(`LOG\n${'b'.repeat(60)}\n`);
  });

  it('stays readable where the terminal is too narrow for its columns', () => {
    const [head = ''] = tableText([row], ['id', 'name', 'log', 'level'], surface(10)).split('\n');
    expect(head).toContain('NAME');
  });

  it('has only its head without rows', () => {
    expect(tableText([], ['id', 'name'], surface(80))).toBe('ID  NAME\n');
  });

  it('measures wide characters by their columns', () => {
    const [, first = '', second = ''] = tableText(
      [
        { a: '日本', b: 1 },
        { a: 'ab', b: 2 },
      ],
      ['a', 'b'],
      surface(),
    ).split('\n');
    expect(first).toBe('日本  1');
    expect(second).toBe('ab    2');
  });
});

describe('an object', () => {
  it('is a field a line, cut to the terminal', () => {
    expect(recordText(row, ['id', 'log'], surface(20))).toBe(`id   7\nlog  ${'b'.repeat(14)}…\n`);
  });
});

describe('a value', () => {
  it('is found by its path, also where names have dots', () => {
    expect(valueAt({ labels: { 'a.b': { c: 1 } } }, 'labels.a.b.c')).toBe(1);
    expect(valueAt({ 'a.b': 2, a: { b: 1 } }, 'a.b')).toBe(2);
    expect(valueAt({ a: null }, 'a.b')).toBeUndefined();
    expect(valueAt({}, 'constructor')).toBeUndefined();
  });

  it('is one clean line for people', () => {
    expect(cellText('until', '1h')).toBe('1h');
    expect(cellText('expire', 0)).toBe('never');
    expect(cellText('last_used', 0)).toBe('-');
    expect(cellText('level', 3)).toBe('crit');
    expect(cellText('online', false)).toBe('no');
    expect(cellText('scopes', ['a', 'b'])).toBe('a,b');
    expect(cellText('failed', [])).toBe('-');
    expect(cellText('labels', { site: 'a\nb' })).toBe('site=a␊b');
    expect(cellText('log_time', 1_795_401_400)).toMatch(/^2026-11-2\d \d\d:\d\d:\d\d$/);
  });

  it('is safe in CSV', () => {
    expect(['a,b', '"', '=1+1', '-x', -5, null, { a: 1 }, 'a\nb'].map(csvCell)).toEqual([
      ...['"a,b"', '""""', "'=1+1", "'-x", '-5', '', '"{""a"":1}"', '"a\nb"'],
    ]);
  });
});
