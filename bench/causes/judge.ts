// Compares the answers with the known cause.
import type { ErrlogChanges } from '../../packages/core/src/index.ts';
import { BASELINES, type Baseline, rankByBaselines } from './baselines.ts';
import type { Fleet } from './fleet.ts';
import type { Plan, Truth } from './incident.ts';
import type { Name } from './kinds.ts';

/** Words for how well the best change explains an error. */
export type Strength = 'strong' | 'likely' | 'weak' | 'none';
/** All ways to rank. */
export const METHODS = ['server', ...BASELINES] as const;
export type Method = (typeof METHODS)[number];

/** One answer, judged. */
export interface Judged {
  /** Place of the cause in the order of each method; 0 = not there. */
  readonly rank: Readonly<Record<Method, number>>;
  readonly strength: Strength;
  /** The server's best row. */
  readonly best: string;
  /** Processor time of the answer in milliseconds. */
  readonly ms: number;
}

/** An incident and its two answers. */
export interface Result {
  readonly seed: number;
  readonly size: number;
  readonly isBusy: boolean;
  readonly kind: string;
  readonly trap: string;
  readonly affected: number;
  readonly early: Judged;
  readonly settled: Judged;
}

/** Least scores of the words, where an answer has none. */
const STRONG = 0.7;
const LIKELY = 0.5;
const WEAK = 0.3;

type Row = ErrlogChanges['windows'][number]['changes'][number] & { readonly strength?: Strength };

function strengthOf(row: Row | undefined): Strength {
  if (row === undefined) return 'none';
  if (row.strength !== undefined) return row.strength;
  if (row.score >= STRONG) return 'strong';
  if (row.score >= LIKELY) return 'likely';
  return row.score >= WEAK ? 'weak' : 'none';
}

/** True if a row names the cause: its own value, or any value of the field. */
const isNamed = (row: Name, names: readonly Name[]) =>
  names.some(
    ({ kind, field, to }) =>
      row.kind === kind && row.field === field && (to === undefined || row.to === to || row.to === ''),
  );

const rankOf = (rows: readonly Name[], names: readonly Name[]) => 1 + rows.findIndex((row) => isNamed(row, names));

/** Asks the server and the baselines, now. */
export async function judge(fleet: Fleet, plan: Plan, truth: Truth, group: number): Promise<Judged> {
  const before = process.cpuUsage();
  const { windows } = await fleet.ask(group);
  const { user, system } = process.cpuUsage(before);
  const window = windows.find(({ kind }) => kind === (truth.isSpike ? 'spike' : 'first_seen'));
  const rows: readonly Row[] = window?.changes ?? [];
  const known = [...truth.onsets].filter(([, atS]) => atS <= fleet.nowS);
  const onsets = new Map(known.map(([{ id }, atS]) => [id, atS * 1000]));
  const times = known.map(([, atS]) => atS);
  const history = await fleet.history(Math.min(...times) - 3_600, fleet.nowS + 1);
  const ranked: Record<Baseline, readonly Name[]> = rankByBaselines({ history, onsets, agents: plan.size });
  const [best] = rows;
  return {
    rank: {
      server: rankOf(rows, truth.names),
      'latest change': rankOf(ranked['latest change'], truth.names),
      'most frequent': rankOf(ranked['most frequent'], truth.names),
      Fisher: rankOf(ranked.Fisher, truth.names),
      'Fisher and time': rankOf(ranked['Fisher and time'], truth.names),
    },
    strength: strengthOf(best),
    best: best === undefined ? '' : `${best.kind} ${best.field} ${best.to} (${best.score})`,
    ms: (user + system) / 1000,
  };
}
