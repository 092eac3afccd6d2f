// The suspected change of an alert: the first one before its error, or why none can be named.
import type { AlertCause, ChangeWindow, ErrlogChanges, SuspectedChange } from '@quarterdeck/core';
import { actionOf, plural } from '../../suspects/change-text.ts';
import { standsOut } from '../../suspects/window-text.ts';
import { durationText } from '../kinds/words.ts';

/** Milliseconds after the first message at which the cause is looked at again: hosts report their changes late. */
export const LOOKS_MS = [30_000, 2 * 60_000, 10 * 60_000] as const;
/** Looks before which a change may not be reported yet. */
const EARLY_LOOKS = 2;
/** Hosts named in a sentence. */
const HOSTS_MAX = 3;

/** When the cause of an alert is looked at, and where its page is. */
export interface Look {
  /** Start of the alert, Unix seconds. */
  readonly sinceS: number;
  /** Time of its first message, Unix milliseconds; 0 is none. */
  readonly firedMs: number;
  /** Number of looks after the first message. */
  readonly looks: number;
  /** Address of this server for people; undefined = unknown. */
  readonly publicUrl: string | undefined;
}

/** Time of the next look at the cause of an alert, Unix ms; undefined after the last, and without a message. */
export function nextLookMs({ firedMs, looks }: Pick<Look, 'firedMs' | 'looks'>): number | undefined {
  const afterMs = firedMs === 0 ? undefined : LOOKS_MS[looks];
  return afterMs === undefined ? undefined : firedMs + afterMs;
}

/** A cause of which no change is named. */
export function withoutChange(why: string, look: Pick<Look, 'firedMs' | 'looks'>): AlertCause {
  return { sentence: null, strength: null, change: null, link: null, why, ...schedule(look) };
}

function schedule(look: Pick<Look, 'firedMs' | 'looks'>): Pick<AlertCause, 'settled' | 'next_look'> {
  const next = nextLookMs(look);
  return { settled: next === undefined, next_look: next === undefined ? null : next / 1000 };
}

/** The window of an alert: the one that began nearest to it. */
export function windowOf({ windows }: ErrlogChanges, sinceS: number): ChangeWindow | undefined {
  const distance = ({ time }: ChangeWindow) => Math.abs(time - sinceS);
  return windows.reduce<ChangeWindow | undefined>(
    (best, one) => (best === undefined || distance(one) < distance(best) ? one : best),
    undefined,
  );
}

/** Names the first suspected change of a window, or says why there is none. */
export function causeOf(window: ChangeWindow, look: Look): AlertCause {
  const [change] = window.changes;
  if (change === undefined || !standsOut(window.changes) || isCommon(change))
    return withoutChange(whyNone(window, look), look);
  const { kind, field, name, from, to, change_id: id, first, before } = change;
  return {
    sentence: sentenceOf(window, change),
    strength: change.strength,
    change: { kind, field, name, from, to, change_id: id, time: first, before },
    link: linkOf(change, look.publicUrl),
    why: null,
    ...schedule(look),
  };
}

/** True for a change that says little and that most other hosts made, too: its name would mislead. */
const isCommon = ({ strength, unaffected }: SuspectedChange): boolean =>
  strength === 'weak' && unaffected.with * 2 > unaffected.of;

function linkOf({ change_id: id, url }: SuspectedChange, publicUrl: string | undefined): string | null {
  if (id > 0 && publicUrl !== undefined) return `${publicUrl}/changes?id=${id}`;
  return url === '' ? null : url;
}

/** Such as `2 of 2 failing hosts changed the file /etc/up.conf, 4 min before (gw-1, gw-2); none of 38 others did`. */
function sentenceOf(window: ChangeWindow, change: SuspectedChange): string {
  const { affected, unaffected, before } = change;
  const of = affected.of + window.unknown;
  const who = of === 1 ? 'The only failing host' : `${affected.with} of ${of} failing hosts`;
  const when = before < 1 ? 'as it began' : `${durationText(before * 1000)} before`;
  const names = change.agents.slice(0, HOSTS_MAX).map(({ hostname }) => hostname);
  const more = affected.with - names.length;
  const hosts = names.length === 0 ? '' : ` (${[...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')})`;
  return `${who} ${actionOf({ ...change, values: 1 })}, ${when}${hosts}; ${othersText(unaffected)}`;
}

function othersText({ with: did, of }: SuspectedChange['unaffected']): string {
  if (of === 0) return 'there are no other hosts';
  return `${did === 0 ? 'none' : did} of ${of} ${plural(of, 'other')} did`;
}

/** The reason for which no change is named. */
function whyNone({ affected, unknown, label }: ChangeWindow, look: Look): string {
  const all = affected + unknown;
  if (affected === 0) {
    return all === 1 ? 'The source has no agent, so its changes are not known.' : 'No source has an agent.';
  }
  if (label !== null) {
    const who = label.affected.with === label.affected.of ? 'All' : `${label.affected.with} of ${label.affected.of}`;
    return `No change stands out. ${who} failing hosts have ${label.name}=${label.value}, most others have not.`;
  }
  const noAgent = unknown === 0 ? '' : ` ${unknown} of ${all} sources have no agent.`;
  if (look.looks < EARLY_LOOKS) return `Too early: hosts report their changes within a minute or two.${noAgent}`;
  return `No change stands out in the hour before.${noAgent}`;
}
