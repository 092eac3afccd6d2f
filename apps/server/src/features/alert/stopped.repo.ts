// Causes of `server.health`: rules and events of channels that stopped because their author lost a right.
import type { Tx } from '@quarterdeck/core/db';
import { readWithheld } from '../webhook/channel-rights.ts';
import type { Cause } from './kinds/kind.ts';
import { allRules } from './rule.repo.ts';
import { readStops } from './rule-rights.ts';

const CHECK = 'Give the author the right again, or let another user who has it save';

export async function stoppedCauses(tx: Tx, nowMs: number): Promise<Cause[]> {
  const rules = await allRules(tx);
  const whyOf = await readStops(tx, rules);
  const channels = await tx.prisma.webhook.findMany({
    where: { enabled: true, types: { not: '' } },
    select: {
      id: true,
      name: true,
      enabled: true,
      types: true,
      authorId: true,
      authorTokenId: true,
      authorScopes: true,
      authorFilter: true,
    },
    orderBy: { id: 'asc' },
  });
  const withheldOf = await readWithheld(tx, channels);
  return [
    ...rules.flatMap((rule): Cause[] => {
      const { id, name, stoppedMs } = rule;
      const why = whyOf(rule);
      if (why === undefined) return [];
      return [
        {
          key: `rule:${id}`,
          title: `Rule "${name}" has stopped. ${why}`,
          detail: { rule_id: id, name, reason: why, check: `${CHECK} the rule.` },
          sinceMs: Number(stoppedMs) || nowMs,
        },
      ];
    }),
    ...channels.flatMap((channel): Cause[] => {
      const { id, name } = channel;
      const withheld = withheldOf(channel);
      if (withheld === undefined) return [];
      const { types, why } = withheld;
      return [
        {
          key: `channel-events:${id}`,
          title: `Channel "${name}" does not get ${types.join(', ')}. ${why}`,
          detail: { webhook_id: id, name, types, reason: why, check: `${CHECK} the channel.` },
          sinceMs: nowMs,
        },
      ];
    }),
  ];
}
