// Evidence about the error of an alert: how often, on which hosts, the suspected change before it, its lines.
import {
  type AlertCause,
  type AlertMessage,
  AppError,
  CAUSE_NEEDS_AGENTS,
  type ErrlogEntry,
  unixSeconds,
} from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { normalForm } from '@quarterdeck/core/fingerprint';
import { errlogStore, type LineReads, minuteOf } from '@quarterdeck/store';
import { oddOfError, oddText } from '../../suspects/odd-one-out.ts';
import { findSuspects } from '../../suspects/suspects.ts';
import { causeOf, type Look, windowOf, withoutChange } from './suspected-cause.ts';

export interface EvidenceNeeds {
  readonly db: Database;
  readonly lineReads: LineReads;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** An alert about errors. */
export interface Subject extends Look {
  readonly groups: readonly number[];
  readonly detail: Readonly<Record<string, unknown>>;
  /** End of the alert, Unix seconds; absent while it lasts. */
  readonly untilS?: number | undefined;
}

/** Extent of the answer. */
export interface Extent {
  readonly lines: number;
  /** False where agents may not be read: changes and other hosts are then left out. */
  readonly showsAgents: boolean;
}

/** The evidence of an alert. */
export type Evidence = Pick<AlertMessage, 'what' | 'counts' | 'hosts' | 'vitals' | 'cause' | 'lines' | 'incomplete'>;

/** The evidence of an alert that is not about errors. */
export const NO_EVIDENCE: Evidence = {
  what: null,
  counts: null,
  hosts: null,
  vitals: [],
  cause: null,
  lines: [],
  incomplete: [],
};

const WITHIN_S = 3600;
const DAY_MINUTES = 24 * 60;
/** Changes of a window: two that cannot be distinguished are enough. */
const CHANGES = 2;
const TEXT_MAX = 500;
const HOSTS_MAX = 10;
/** Reader whose searches of lines count for rules. */
const READER = 'alerts';

/** Reads the evidence of an alert. */
export async function evidenceOf(needs: EvidenceNeeds, subject: Subject, extent: Extent): Promise<Evidence> {
  const { db, lineReads, now } = needs;
  const entries = await errlogStore(db).groupsById(subject.groups);
  const entry = entries.find(({ id }) => id === subject.groups[0]) ?? entries[0];
  if (entry === undefined) return { ...NO_EVIDENCE, incomplete: ['The error was deleted.'] };
  const suspects = await suspectsOf(needs, entry, subject, extent.showsAgents);
  const page =
    extent.lines === 0 ? undefined : await lineReads.page({ groups: subject.groups }, { limit: extent.lines }, READER);
  const names = [...new Set(entries.map(({ host, source, src }) => host || source || `source ${src}`))];
  return {
    what: {
      level: entry.level,
      service: entry.service ?? '',
      source: entry.source ?? '',
      text: normalForm(entry.log).slice(0, TEXT_MAX).toWellFormed(),
    },
    counts: await countsOf(db, subject, subject.untilS ?? unixSeconds(now())),
    hosts: { failing: Math.max(names.length, suspects.failing), of: suspects.of, names: names.slice(0, HOSTS_MAX) },
    vitals: [...suspects.vitals],
    cause: suspects.cause,
    lines: page?.data.map((line) => ({ ...line, fields: { ...line.fields } })) ?? [],
    incomplete: [
      ...suspects.incomplete,
      ...(page !== undefined && !page.meta.complete ? ['Not all stored lines could be searched in time.'] : []),
      ...(page?.meta.damaged === undefined ? [] : ['Some stored lines are damaged.']),
    ],
  };
}

/** The suspected change of an alert, and its hosts as agents know them. */
interface Suspects {
  readonly cause: AlertCause;
  readonly vitals: readonly string[];
  readonly failing: number;
  readonly of: number | null;
  readonly incomplete: readonly string[];
}

async function suspectsOf(
  { db, now }: EvidenceNeeds,
  group: ErrlogEntry,
  look: Look,
  showsAgents: boolean,
): Promise<Suspects> {
  const nothing = { vitals: [], failing: 0, of: null, incomplete: [] };
  const none = (why: string): Suspects => ({ cause: withoutChange(why, look), ...nothing });
  if (!showsAgents) return none(CAUSE_NEEDS_AGENTS);
  try {
    const found = await findSuspects(db, { group, within: WITHIN_S, limit: CHANGES, showsAgents }, now());
    const window = windowOf(found, look.sinceS);
    if (window === undefined) return none('The time before the error is not known.');
    const { affected, unaffected, unknown } = window;
    const vitals = window.vitals.map(({ explanation }) => explanation);
    const cause = await withOdd(db, group, causeOf(window, look), vitals, now());
    const failing = affected + unknown;
    return {
      cause,
      vitals,
      failing,
      of: affected === 0 ? null : failing + unaffected,
      incomplete: [
        ...(found.complete ? [] : ['Not all changes of the hour before could be examined.']),
        ...(unknown > 0 && cause.why === null ? [`${unknown} of ${failing} sources have no agent.`] : []),
      ],
    };
  } catch (error) {
    // Retention removed the groups meanwhile.
    if (error instanceof AppError && error.code === 'not_found') return none('The error was deleted.');
    throw error;
  }
}

/** Says how the failing hosts differ from their twins, where no change is named. */
async function withOdd(
  db: Database,
  group: ErrlogEntry,
  cause: AlertCause,
  vitals: readonly string[],
  nowMs: number,
): Promise<AlertCause> {
  if (cause.why === null) return cause;
  const { data, meta } = await oddOfError(db, { group, showsAgents: true }, nowMs);
  // A resource over its limit is reported with its time already.
  const odd = oddText({ data: data.filter(({ kind }) => kind !== 'vitals' || vitals.length === 0), meta });
  return odd === undefined ? cause : { ...cause, why: `${cause.why} ${odd}` };
}

/** Occurrences since an alert began, against those of the day before. */
async function countsOf(db: Database, { groups, sinceS, detail }: Subject, endS: number): Promise<Evidence['counts']> {
  const store = errlogStore(db);
  const { n, within } = detail;
  const isCounted = typeof n === 'number' && typeof within === 'number';
  const from = isCounted ? Math.max(0, sinceS - within) : sinceS;
  const first = minuteOf(from);
  let count = 0;
  let before = 0;
  for (const { minute, n: times } of await store.countByMinute(groups, first - DAY_MINUTES, minuteOf(endS))) {
    if (minute < first) before += times;
    else count += times;
  }
  const total = isCounted ? Math.max(n, count) : Math.max(1, count);
  const minutes = Math.max(1, (endS - from) / 60);
  const round = (rate: number) => Math.round(rate * 100) / 100;
  return { count: total, from, per_minute: round(total / minutes), usual: round(before / DAY_MINUTES) };
}
