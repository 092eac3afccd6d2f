// Parses the expiry of a token: `90d`, `never`, or a date.
import { z } from 'zod';

const DAY_MS = 86_400_000;
const DAYS = /^(\d{1,5})d$/;
const Moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** Unix milliseconds (0 = never) with the text to show; or the problem, to follow the name of the setting. */
export type Expiry = { readonly ms: number; readonly text: string } | { readonly problem: string };

function momentOf(text: string, nowMs: number): number | undefined {
  const days = DAYS.exec(text)?.[1];
  if (days !== undefined) return nowMs + Number(days) * DAY_MS;
  return Moment.safeParse(text).success ? Date.parse(text) : undefined;
}

/**
 * Parses an expiry. The default is never, or the latest that `maxDays` allows.
 *
 * @param nowMs Unix milliseconds
 */
export function readExpiry(given: string | undefined, nowMs: number, maxDays: number | undefined): Expiry {
  const text = given ?? (maxDays === undefined ? 'never' : `${maxDays}d`);
  const ms = text === 'never' ? 0 : momentOf(text, nowMs);
  if (ms === undefined) return { problem: 'must be a number of days such as 90d, never, or a date such as 2030-12-31' };
  if (ms !== 0 && ms <= nowMs) return { problem: 'must be in the future' };
  if (maxDays !== undefined && (ms === 0 || ms > nowMs + maxDays * DAY_MS)) {
    return { problem: `must be within ${maxDays} days (QUARTERDECK_TOKEN_MAX_DAYS)` };
  }
  return { ms, text: ms === 0 ? 'never' : new Date(ms).toISOString() };
}
