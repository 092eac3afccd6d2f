import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addJsonField } from './json-fields.ts';
import { FieldSet } from './line-fields.ts';

function fieldsOf(pairs: readonly (readonly [string, unknown])[]) {
  const fields = new FieldSet();
  for (const [name, value] of pairs) addJsonField(fields, name, value);
  return { fields: fields.take(), lost: [...fields.lost()] };
}

describe('FieldSet', () => {
  it('names every field that it cannot keep', () => {
    const many = Array.from({ length: 130 }, (_, i) => [`k${i}`, 'v'] as const);
    const { fields, lost } = fieldsOf([...many, ['n'.repeat(129), 'v'], ['k0', 'w'], ['k1', 'v']]);
    expect(Object.keys(fields ?? {})).toHaveLength(128);
    expect(lost).toEqual([
      { reason: 'The line has more than 128 fields', names: ['k128', 'k129'] },
      { reason: 'The name has more than 128 characters', names: ['n'.repeat(64)] },
      { reason: 'Another field has the name', names: ['k0'] },
    ]);
  });

  it('cuts long values, and all values together, and names them', () => {
    const long = Array.from({ length: 9 }, (_, i) => [`k${i}`, 'x'.repeat(5_000)] as const);
    const { fields, lost } = fieldsOf(long);
    expect(Object.values(fields ?? {}).map((value) => value.length)).toEqual(Array(7).fill(4_096));
    expect(lost).toEqual([
      { reason: 'The value is cut after 4096 characters', names: ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6'] },
      { reason: 'The fields of the line have more than 32768 characters', names: ['k7', 'k8'] },
    ]);
  });

  it('names lost fields in a field that another set keeps', () => {
    const [first, second] = [new FieldSet(), new FieldSet()];
    for (let i = 0; i < 200; i += 1) first.add(`k${i}`, 'v');
    for (const [name, value] of Object.entries(first.takeWithLost() ?? {})) second.add(name, value);
    expect([...second.lost()]).toEqual([]);
    expect(second.take()?.['fields_dropped']).toMatch(/^k128, k129, .*: The line has more than 128 fields$/);
  });

  it('lists at most 32 names for a reason', () => {
    const many = Array.from({ length: 1_000 }, (_, i) => [`k${i}`, 'v'] as const);
    expect(fieldsOf(many).lost.map(({ names }) => names.length)).toEqual([32]);
  });

  it('loses nothing that is empty', () => {
    expect(
      fieldsOf([
        ['', 'x'],
        ['a', ''],
        ['b', null],
        ['c', {}],
      ]),
    ).toEqual({ fields: undefined, lost: [] });
  });
});

describe('addJsonField', () => {
  it.each<[unknown, object]>([
    ['x', { a: 'x' }],
    [1.5, { a: '1.5' }],
    [false, { a: 'false' }],
    [['x', 1, { b: 2 }], { a: '["x",1,{"b":2}]' }],
    [
      { b: { c: 1, d: 'x' }, e: [] },
      { 'a.b.c': '1', 'a.b.d': 'x', 'a.e': '[]' },
    ],
    [JSON.parse('{"__proto__":{"b":1}}'), { 'a.__proto__.b': '1' }],
  ])('makes of %j the fields %j', (value, fields) => {
    expect(fieldsOf([['a', value]]).fields).toEqual(fields);
  });

  it('names an integer that JSON.parse has rounded', () => {
    expect(
      fieldsOf([
        ['id', JSON.parse('12345678901234567891')],
        ['n', 2 ** 53 - 1],
      ]).lost,
    ).toEqual([{ reason: 'The number is too large to be exact', names: ['id'] }]);
  });

  it('keeps a deep object as JSON', () => {
    const deep = '{"b":'.repeat(100) + 1 + '}'.repeat(100);
    const { fields, lost } = fieldsOf([['a', JSON.parse(deep)]]);
    expect(fields).toEqual({ [`a${'.b'.repeat(8)}`]: '{"b":'.repeat(92) + 1 + '}'.repeat(92) });
    expect(lost).toEqual([]);
  });

  it('stores any JSON as bounded texts', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const { fields = {} } = fieldsOf(Object.entries(object));
        for (const [name, value] of Object.entries(fields)) {
          expect(name.length).toBeLessThanOrEqual(128);
          expect(value.isWellFormed() && value.length > 0 && !value.includes('\0')).toBe(true);
        }
      }),
    );
  });
});
