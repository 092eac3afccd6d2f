// Rules of the kind `token.expiring`: an API token expires soon.
import type { AlertConditionState } from '@quarterdeck/core';
import { type ExpiringToken, expiringTokens } from './expiring-tokens.repo.ts';
import { CAUSES_MAX, type Cause, isPresent, type LastingKind } from './kind.ts';
import { matchingCondition } from './matching.ts';
import { countText, durationText, timeText } from './words.ts';

const DAY_MS = 86_400_000;
/** Tokens that an explanation shows. */
const SHOWN = 3;

const CHANGED = 'Tokens that were deleted, extended or disabled since are not counted.';

export const tokenExpiring: LastingKind = {
  ends: true,

  async active({ read, nowMs }, { withinS }) {
    const untilMs = nowMs + withinS * 1000;
    const rows = await expiringTokens(read, nowMs, untilMs);
    const more = Math.max(0, rows.length - CAUSES_MAX);
    return { causes: rows.slice(0, CAUSES_MAX).map((row) => causeOf(row, withinS)), more };
  },

  async explain(round, { withinS }, atMs) {
    const found = await expiringTokens(round.read, atMs, Number.MAX_SAFE_INTEGER);
    const days = (ms: number) => Math.floor(ms / DAY_MS);
    const limit = days(withinS * 1000);
    const nearest = found.slice(0, SHOWN).map((row): AlertConditionState => {
      const text = `${causeOf(row, withinS).title}, in ${durationText(row.expireMs - atMs)}; ${limit} d are looked at.`;
      return {
        name: 'days',
        value: days(row.expireMs - atMs),
        limit,
        met: row.expireMs - atMs <= withinS * 1000,
        text,
      };
    });
    const text = `${countText(found.length, 'API token')} expire at some time.`;
    const whyIncomplete = isPresent(round, atMs) ? undefined : CHANGED;
    return { conditions: [matchingCondition(found.length, text), ...nearest], whyIncomplete };
  },

  async replay({ read, nowMs }, { withinS }, fromMs) {
    const withinMs = withinS * 1000;
    const rows = await expiringTokens(read, fromMs, nowMs + withinMs);
    const episodes = rows
      .map((row) => ({ ...causeOf(row, withinS), untilMs: row.expireMs <= nowMs ? row.expireMs : null }))
      .filter(({ sinceMs }) => sinceMs >= fromMs);
    return { episodes, whyIncomplete: CHANGED };
  },
};

function causeOf(token: ExpiringToken, withinS: number): Cause {
  const { id, name, tail, expireMs, modifiedMs, ownerId, owner } = token;
  const label = name === '' ? `ending in ${tail}` : `"${name}"`;
  return {
    key: `token:${id}`,
    title: `API token ${label} of ${owner} expires at ${timeText(expireMs)}`,
    detail: {
      token_id: id,
      name,
      user_id: ownerId,
      username: owner,
      expire: expireMs / 1000,
      last_used: token.lastUsedMs === 0 ? null : token.lastUsedMs / 1000,
      last_address: token.lastAddress,
      last_client: token.lastClient,
    },
    // A token whose expiry was set later expires soon since then.
    sinceMs: Math.max(expireMs - withinS * 1000, Math.min(modifiedMs, expireMs)),
  };
}
