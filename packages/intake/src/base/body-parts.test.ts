import { parseJson } from '@quarterdeck/core/plain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonParts, linesParts, PART_BYTES } from './body-parts.ts';
import { checkJsonBounds } from './json-bounds.ts';

/** Elements of which some end a part. */
const element = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('x'.repeat(PART_BYTES), 'é",[\\'.repeat(PART_BYTES / 2), [{ a: ['y'.repeat(PART_BYTES)] }]),
);
const array = fc.array(element, { maxLength: 12 });
const blanks = fc.constantFrom('', ' ', '\r\n\t');

const partsOf = (bytes: Uint8Array) => [...jsonParts(bytes, checkJsonBounds(bytes, 1e6).cuts)];

/** Returns what a body is, or its error. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return String(error);
  }
}

describe('a body of JSON', () => {
  it('is the same in parts as in one', () => {
    fc.assert(
      fc.property(array, blanks, blanks, (elements, before, behind) => {
        const bytes = Buffer.from(`${before}${JSON.stringify(elements)}${behind}`);
        expect(partsOf(bytes).flat()).toEqual(parseJson(bytes));
      }),
      { numRuns: 60 },
    );
    const bytes = Buffer.from(JSON.stringify(Array(5).fill('x'.repeat(PART_BYTES))));
    expect(partsOf(bytes).map((part) => (part as unknown[]).length)).toEqual([1, 1, 1, 1, 1]);
    expect(partsOf(Buffer.from('{"a":[1,2]}'))).toEqual([{ a: [1, 2] }]);
  });

  it('has the same error in parts as in one, wherever a byte is wrong', () => {
    const byte = fc.constantFrom(...Buffer.from(',[]{}":x\\\n '), 0xff, 0xef);
    fc.assert(
      fc.property(
        array,
        fc.double({ min: 0, max: 1, noNaN: true }),
        byte,
        fc.boolean(),
        (elements, at, wrong, adds) => {
          const valid = Buffer.from(JSON.stringify(elements));
          const place = Math.floor(at * (valid.length - 1));
          const bytes = Buffer.concat([
            valid.subarray(0, place),
            Buffer.of(wrong),
            valid.subarray(place + (adds ? 0 : 1)),
          ]);
          const whole = outcomeOf(() => [parseJson(bytes)].flat());
          expect(outcomeOf(() => partsOf(bytes).flat())).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
    const long = `"${'x'.repeat(PART_BYTES)}"`;
    for (const text of [
      `[${long},,${long},1]`,
      `[${long},1,${long},]`,
      `[${long},\uFEFF1,${long},1]`,
      `[${long},1],[1]`,
    ])
      expect(
        outcomeOf(() => partsOf(Buffer.from(text))),
        text.slice(-20),
      ).toMatch('AppError');
  });
});

describe('a body of lines', () => {
  it('is cut behind line breaks only', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '', 'é'.repeat(PART_BYTES / 3)), { maxLength: 20 }), (lines) => {
        const bytes = Buffer.from(lines.join('\n'));
        const parts = [...linesParts(bytes)].map((part) => Buffer.from(part));
        expect(Buffer.concat(parts).equals(bytes)).toBe(true);
        for (const part of parts.slice(0, -1)) expect(part.at(-1)).toBe(0x0a);
      }),
    );
  });
});
