import type { Comparison } from './filter.ts';

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i;

/** Parses a decimal number; undefined for anything else. */
export function toNumber(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  // The sum turns -0 into 0.
  return Number.isFinite(number) ? number + 0 : undefined;
}

/** Reports whether a comparison holds. */
export function compare(number: number, operator: Comparison, bound: number): boolean {
  switch (operator) {
    case '<':
      return number < bound;
    case '<=':
      return number <= bound;
    case '>':
      return number > bound;
    default:
      return number >= bound;
  }
}
