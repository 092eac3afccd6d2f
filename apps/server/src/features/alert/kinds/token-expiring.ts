// Rules of the kind `token.expiring`: an API token expires soon.
import { type ExpiringToken, expiringTokens } from './expiring-tokens.repo.ts';
import { CAUSES_MAX, type Cause, type LastingKind } from './kind.ts';
import { timeText } from './words.ts';

/** The kind. */
export const tokenExpiring: LastingKind = {
  ends: true,

  async active({ read, nowMs }, { withinS }) {
    const untilMs = nowMs + withinS * 1000;
    const rows = await expiringTokens(read, nowMs, untilMs);
    const more = Math.max(0, rows.length - CAUSES_MAX);
    return { causes: rows.slice(0, CAUSES_MAX).map((row) => causeOf(row, withinS)), more };
  },

  async replay({ read, nowMs }, { withinS }, fromMs) {
    const withinMs = withinS * 1000;
    const rows = await expiringTokens(read, fromMs, nowMs + withinMs);
    const episodes = rows
      .map((row) => ({ ...causeOf(row, withinS), untilMs: row.expireMs <= nowMs ? row.expireMs : null }))
      .filter(({ sinceMs }) => sinceMs >= fromMs);
    return { episodes, whyIncomplete: 'Tokens that were deleted, extended or disabled since are not counted.' };
  },
};

function causeOf({ id, name, tail, expireMs, modifiedMs, ownerId, owner }: ExpiringToken, withinS: number): Cause {
  const label = name === '' ? `ending in ${tail}` : `"${name}"`;
  return {
    key: `token:${id}`,
    title: `API token ${label} of ${owner} expires at ${timeText(expireMs)}`,
    detail: { token_id: id, name, user_id: ownerId, username: owner, expire: expireMs / 1000 },
    // A token whose expiry was set later expires soon since then.
    sinceMs: Math.max(expireMs - withinS * 1000, Math.min(modifiedMs, expireMs)),
  };
}
