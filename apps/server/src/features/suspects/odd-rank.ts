// Ranks how failing hosts differ from their twins. Pure.
import type { OddKind } from '@quarterdeck/core';

/** Values of one field by host. */
export interface OddField {
  readonly kind: OddKind;
  readonly field: string;
  readonly values: ReadonlyMap<number, string>;
  /** Value of hosts that have none; absent where these are not known and do not count. */
  readonly otherwise?: string;
}

/** A difference: a value that failing hosts have, and their twins rather not. */
export interface Difference {
  readonly kind: OddKind;
  readonly field: string;
  readonly value: string;
  readonly twins: string;
  readonly score: number;
  /** Failing hosts with the value. */
  readonly agents: readonly number[];
}

/** Differences that are shown, and the least score of one. */
const SHOWN = 20;
const SCORE_MIN = 0.2;
/** Order of equal scores: what people change by hand comes first, and what may be an effect of the error last. */
const KINDS: readonly OddKind[] = [
  ...(['config', 'package', 'program', 'fact', 'certificate', 'container', 'unit', 'dns', 'time_zone'] as const),
  'vitals',
];

/**
 * Ranks fields by how well they separate failing hosts from twins. A value separates by the share of failing hosts with
 * it less that of twins. The score is this times the share of twins that agree on another value. So a value that
 * differs from host to host, such as a certificate of its own, is not odd. Few twins prove less.
 */
export function rankDifferences(
  fields: Iterable<OddField>,
  failing: readonly number[],
  twins: readonly number[],
): Difference[] {
  const found = [...fields].flatMap((field) => differenceOf(field, failing, twins) ?? []);
  const order = ({ kind }: Difference) => KINDS.indexOf(kind);
  return found.sort((a, b) => b.score - a.score || order(a) - order(b) || (a.field < b.field ? -1 : 1)).slice(0, SHOWN);
}

/** The value of a field that separates best; undefined where none does. */
function differenceOf(field: OddField, failing: readonly number[], twins: readonly number[]): Difference | undefined {
  const [ofFailing, ofTwins] = [hostsByValue(field, failing), hostsByValue(field, twins)];
  const [knownFailing, knownTwins] = [sizeOf(ofFailing), sizeOf(ofTwins)];
  if (knownFailing === 0 || knownTwins === 0) return undefined;
  let best: Difference | undefined;
  for (const [value, agents] of ofFailing) {
    // The absence of a change says nothing by itself.
    if (value === field.otherwise) continue;
    const other = mostFrequent(ofTwins, value);
    if (other === undefined) continue;
    const shareOf = (hosts: readonly number[] | undefined) => (hosts?.length ?? 0) / knownTwins;
    const separates = agents.length / failing.length - shareOf(ofTwins.get(value));
    const score = separates * shareOf(ofTwins.get(other)) * (knownTwins / (knownTwins + 1));
    if (score < SCORE_MIN || score <= (best?.score ?? 0)) continue;
    best = { kind: field.kind, field: field.field, value, twins: other, score, agents };
  }
  return best;
}

function hostsByValue({ values, otherwise }: OddField, hosts: readonly number[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const host of hosts) {
    const value = values.get(host) ?? otherwise;
    if (value === undefined) continue;
    const same = found.get(value);
    if (same === undefined) found.set(value, [host]);
    else same.push(host);
  }
  return found;
}

const sizeOf = (byValue: ReadonlyMap<string, readonly number[]>): number =>
  [...byValue.values()].reduce((sum, hosts) => sum + hosts.length, 0);

/** The value that most hosts have beside one. */
function mostFrequent(byValue: ReadonlyMap<string, readonly number[]>, except: string): string | undefined {
  let most: { readonly value: string; readonly n: number } | undefined;
  for (const [value, { length: n }] of byValue) {
    if (value !== except && (most === undefined || n > most.n)) most = { value, n };
  }
  return most?.value;
}
