// Rights of rules: a rule works with those that its author has now (decision 071).
import { type AlertKind, type Permission, subjectNeeds } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { readAuthors, whyStopped } from '../../auth/author.repo.ts';
import type { RuleRow } from './rule.repo.ts';

/** Permissions that the author of a rule of a kind needs as long as it runs. */
export const ruleNeeds = (kind: AlertKind): readonly Permission[] => ['alert:write', ...subjectNeeds(kind)];

/** Reads why some rules do not run; undefined for one that does, or that is disabled. */
export async function readStops(tx: Tx, rules: readonly RuleRow[]): Promise<(rule: RuleRow) => string | undefined> {
  const authorOfRule = await readAuthors(tx, rules);
  return (rule) => (rule.enabled ? whyStopped(authorOfRule(rule), ruleNeeds(rule.kind as AlertKind)) : undefined);
}
