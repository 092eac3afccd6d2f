// Rights of rules: a rule works with those that its author has now (decision 071).
import {
  type AlertKind,
  AppError,
  isRestricted,
  type Permission,
  subjectNeeds,
  type UserActor,
} from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { type Author, readAuthors, whyStopped } from '../../auth/author.repo.ts';
import type { RuleRow } from './rule.repo.ts';
import { isNarrowedKind } from './seen-alerts.repo.ts';

/** Permissions that the author of a rule of a kind needs as long as it runs. */
export const ruleNeeds = (kind: AlertKind): readonly Permission[] => ['alert:write', ...subjectNeeds(kind)];

/** Reads why some rules do not run; undefined for one that does, or that is disabled. */
export async function readStops(tx: Tx, rules: readonly RuleRow[]): Promise<(rule: RuleRow) => string | undefined> {
  const authorOfRule = await readAuthors(tx, rules);
  return (rule) => {
    if (!rule.enabled) return undefined;
    const author = authorOfRule(rule);
    return whyStopped(author, ruleNeeds(rule.kind as AlertKind)) ?? whyNotNarrowed(author, rule.kind);
  };
}

/** Reason for which a rule of a kind cannot be evaluated within a part of the sources; undefined where it can. */
function whyNotNarrowed({ errlogFilter, username }: Author, kind: string): string | undefined {
  if (errlogFilter === '' || isNarrowedKind(kind)) return undefined;
  return `Its author, ${username}, sees a part of the sources, and this kind of rule looks at all of them.`;
}

/**
 * Refuses kinds of rules that look at all sources to callers who see a part of them.
 *
 * @throws AppError `forbidden`
 */
export function checkNarrowed(actor: UserActor, kind: AlertKind): void {
  if (!isRestricted(actor) || isNarrowedKind(kind)) return;
  throw new AppError('forbidden', { detail: `Rules of the kind ${kind} look at all sources.` });
}
