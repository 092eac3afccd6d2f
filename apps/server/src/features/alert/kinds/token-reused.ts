// Rules of the kind `token.reused`: somebody used a secret of an API token that was replaced.
import { parseDetail } from '../../audit/audit.repo.ts';
import type { MomentKind } from './kind.ts';
import { auditOfAction, lastAuditBefore, type NewAuditEntry, newestAudit } from './new-audit.repo.ts';
import { countText } from './words.ts';

const ACTION = 'api_token.reused';
/** Uses of one round: there is at most one a minute for each token. */
const AT_ONCE = 200;

export const tokenReused: MomentKind = {
  ends: false,
  manyTitle: (count) => `Replaced secrets of API tokens were used ${countText(count, 'time')}`,

  async start({ read }) {
    return newestAudit(read);
  },

  async happened({ read, once }, _rule, given) {
    const position = given as number;
    const entries = await once(`tokens-reused:${position}`, () => auditOfAction(read, ACTION, position, AT_ONCE));
    return { causes: entries.map(causeOf), position: entries.at(-1)?.id ?? position };
  },

  async replay({ read, eventLoop, stopped }, _rule, fromMs) {
    const entries: NewAuditEntry[] = [];
    for (let id = await lastAuditBefore(read, fromMs); ; ) {
      const portion = await auditOfAction(read, ACTION, id, AT_ONCE);
      entries.push(...portion);
      const last = portion.at(-1);
      if (last === undefined || stopped()) break;
      id = last.id;
      await eventLoop.pause();
    }
    const episodes = entries.map(causeOf).map((cause) => ({ ...cause, untilMs: cause.sinceMs }));
    return { episodes, whyIncomplete: stopped() ? 'There are too many uses to look at.' : undefined };
  },
};

function causeOf({ id, timeMs, address, targetId, detail }: NewAuditEntry) {
  const { name = '', uid = 0 } = parseDetail(detail);
  return {
    key: `token:${targetId}`,
    title: `A replaced secret of API token ${name === '' ? targetId : `"${name}"`} was used from ${address}`,
    detail: { token_id: targetId, name, user_id: uid, address, audit_id: id },
    sinceMs: timeMs,
  };
}
