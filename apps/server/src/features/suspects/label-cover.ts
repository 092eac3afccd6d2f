// Finds the label that the affected agents have in common and the others have not.
import type { SharedLabel } from '@quarterdeck/core';
import type { LabelRow } from './agents.repo.ts';
import { evidenceOfCounts, PRIOR_OF_LABEL } from './evidence.ts';
import type { HistoryLines } from './history-lines.ts';

/** A label with the logarithm of the odds that it decides who has the error. */
export interface DividingLabel {
  readonly label: SharedLabel;
  readonly evidence: number;
}

/** Labels of all agents and of the affected ones, and the numbers of both kinds of agents. */
export interface LabelCounts {
  readonly all: readonly LabelRow[];
  readonly ofAffected: readonly LabelRow[];
  readonly affected: number;
  readonly unaffected: number;
}

/** Returns the label that divides the affected agents from the others best; undefined if none does. */
export function dividingLabel({ all, ofAffected, affected, unaffected }: LabelCounts): DividingLabel | undefined {
  const total = new Map(all.map((row) => [keyOf(row), row.n]));
  let best: DividingLabel | undefined;
  for (const row of ofAffected) {
    const { name, value, n } = row;
    const others = Math.min(unaffected, Math.max(0, (total.get(keyOf(row)) ?? 0) - n));
    const label = { name, value, affected: { with: n, of: affected }, unaffected: { with: others, of: unaffected } };
    const evidence = evidenceOfCounts(label) + PRIOR_OF_LABEL;
    if (total.has(keyOf(row)) && evidence > (best?.evidence ?? 0)) best = { label, evidence };
  }
  return best;
}

/** Leaves out labels that were set in the time examined: they are changes themselves. */
export function withoutNewLabels(rows: readonly LabelRow[], { changes }: HistoryLines): LabelRow[] {
  const set = changes.filter(({ kind }) => kind === 'labels').map(({ after }) => after);
  return rows.filter(({ name, value }) => !set.some((after) => after === value || after.includes(`${name}=${value}`)));
}

const keyOf = ({ name, value }: LabelRow) => `${name}\0${value}`;
