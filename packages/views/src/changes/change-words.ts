// Changes from outside in words. Pure.
import type { Change } from '@quarterdeck/sdk';
import { fromTo } from '../agents/agent-words.ts';
import { clean } from '../text/clean.ts';
import { plural } from '../text/format.ts';

/** The values of a change: `2.8.4 → 2.9.0`. */
export const valuesText = ({ before, after }: Pick<Change, 'before' | 'after'>): string =>
  before === '' && after === '' ? '' : fromTo({ from: before, to: after });

/** The labels that a change concerns: `site=north, tier`. */
export const changeLabels = ({ labels }: Pick<Change, 'labels'>): string =>
  Object.entries(labels)
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
    .join(', ');

/** The hosts of a change in a few words: the only host, a number, labels, or all hosts. */
export function hostsText(change: Pick<Change, 'hosts' | 'host_count' | 'labels'>): string {
  const { hosts, host_count: count } = change;
  const named = count === 1 ? (hosts[0] ?? '1 host') : plural(count, 'host');
  const labels = changeLabels(change);
  if (count === 0) return labels === '' ? 'all hosts' : labels;
  return labels === '' ? named : `${named}, ${labels}`;
}

/** The title of a change: `deploy checkout`. */
export const changeTitle = ({ kind, name }: Pick<Change, 'kind' | 'name'>): string => clean(`${kind} ${name}`);
