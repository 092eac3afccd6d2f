import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJsonBounds, MAX_JSON_DEPTH } from './json-bounds.ts';

const check = (text: string, maxValues = 1_000, perLine = false) =>
  checkJsonBounds(Buffer.from(text), maxValues, perLine);

describe('checkJsonBounds', () => {
  it.each([
    ['[{"a":1,"b":[1,2]},2,"x,y"]', 3],
    [' \n[1,2]', 2],
    ['{"a":1,"b":2}', 1],
    ['"text"', 1],
    ['', 1],
    ['["\\",\\\\",2]', 2],
  ])('counts the elements of the outermost array of %j', (text, elements) => {
    expect(check(text).elements).toBe(elements);
  });

  it('refuses values that nest too deep', () => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(check(nested(MAX_JSON_DEPTH)).elements).toBe(1);
    expect(() => check(nested(MAX_JSON_DEPTH + 2))).toThrow(`more than ${MAX_JSON_DEPTH} deep`);
    expect(() => check('['.repeat(8_000_000), 1e9)).toThrow('nests values');
  });

  it.each(['[],', '{},', '0,', '"",', '{"a":0},', 'null,'])('refuses too many of %s', (unit) => {
    expect(() => check(`[${unit.repeat(1_001)}0]`)).toThrow('more than 1000 values');
  });

  it('ignores the content of strings', () => {
    expect(check(JSON.stringify(['[{,'.repeat(2_000), '\\', '"[[['])).elements).toBe(3);
  });

  it('counts the lines of NDJSON, also behind a string without an end', () => {
    expect(check('{"a":"x\n'.repeat(MAX_JSON_DEPTH + 1), 1_000, true).elements).toBe(MAX_JSON_DEPTH + 2);
  });

  it('checks each line of NDJSON separately', () => {
    const line = `"${'['.repeat(MAX_JSON_DEPTH)}`;
    expect(() => check(`"\n${'['.repeat(MAX_JSON_DEPTH + 1)}`, 1_000, true)).toThrow('nests values');
    expect(check(Array.from({ length: 5 }, () => line).join('\n'), 1_000, true).elements).toBe(5);
    expect(check('{\n'.repeat(500), 1_000, true).elements).toBe(501);
  });

  it('counts the exact number of values of any JSON', () => {
    const countOf = (value: unknown): number => {
      if (typeof value !== 'object' || value === null) return 0;
      const parts = Object.values(value);
      return 1 + Math.max(0, parts.length - 1) + parts.reduce<number>((sum, part) => sum + countOf(part), 0);
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.boolean(), (value, pretty) => {
        const text = JSON.stringify(value, null, pretty ? 2 : 0);
        const count = countOf(value);
        expect(check(text, count).elements).toBe(Array.isArray(value) && value.length > 0 ? value.length : 1);
        if (count > 0) expect(() => check(text, count - 1)).toThrow('values');
      }),
    );
  });
});
