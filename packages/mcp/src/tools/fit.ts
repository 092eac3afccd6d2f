// Cleans a value from the API and cuts it to a number of characters.
import { visibleText } from '@quarterdeck/core';

/** Most characters of one text. */
const TEXT_MAX = 4_000;
/** Most characters of a name, such as that of a field. */
const NAME_MAX = 128;
const ELLIPSIS = '…';

export interface Fitted {
  readonly value: unknown;
  /** True when a text was shortened, or a member left out. */
  readonly isCut: boolean;
}

/** Characters of a text as JSON. */
const sizeOf = (text: string): number => JSON.stringify(text).length;

/** Cuts a text so that its JSON has at most `max` characters. */
function cutText(text: string, max: number): string {
  if (text.length <= max && sizeOf(text) <= max) return text;
  // Escaping makes a cleaned character at most two.
  let kept = text.slice(0, Math.max(0, max - ELLIPSIS.length - 2));
  while (kept !== '' && sizeOf(kept + ELLIPSIS) > max) kept = kept.slice(0, Math.floor(kept.length * 0.8));
  // A cut may halve a surrogate pair.
  return kept.replace(/[\uD800-\uDBFF]$/, '') + ELLIPSIS;
}

/** Cleans every text and name of a JSON value, and cuts it so that its JSON has about `budget` characters. */
export function fit(value: unknown, budget: number): Fitted {
  let left = budget;
  let isCut = false;

  const fitText = (raw: string, max: number): string => {
    const cleaned = visibleText(raw);
    const text = cutText(cleaned, Math.max(ELLIPSIS.length + 2, Math.min(max, left)));
    if (text !== cleaned) isCut = true;
    left -= sizeOf(text) + 1;
    return text;
  };

  const visitAll = <T, R>(members: readonly T[], visit: (member: T) => R): R[] => {
    const visited: R[] = [];
    for (const member of members) {
      if (left <= 0) {
        isCut = true;
        break;
      }
      visited.push(visit(member));
    }
    return visited;
  };

  const visit = (member: unknown): unknown => {
    if (typeof member === 'string') return fitText(member, TEXT_MAX);
    if (typeof member !== 'object' || member === null) {
      left -= String(member).length + 1;
      return member;
    }
    left -= 2;
    if (Array.isArray(member)) return visitAll(member, visit);
    const present = Object.entries(member).filter(([, one]) => one !== undefined);
    return Object.fromEntries(visitAll(present, ([name, one]) => [fitText(name, NAME_MAX), visit(one)]));
  };

  return { value: visit(value), isCut };
}

/** Like {@link fit}, with an equal share of the budget for each row, so that no row is left out. */
export function fitRows(rows: readonly unknown[], budget: number): Fitted {
  const fitted = rows.map((row) => fit(row, Math.floor(budget / rows.length)));
  return { value: fitted.map(({ value }) => value), isCut: fitted.some(({ isCut }) => isCut) };
}
