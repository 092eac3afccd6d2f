// The changes before an error in words. Pure.
import type { ChangeWindow, ErrlogChanges, MergedChange } from '@quarterdeck/sdk';
import { eventText, kindWord, withFieldWords } from '../agents/agent-words.ts';
import { clean } from '../text/clean.ts';
import { grouped, momentText, plural, span } from '../text/format.ts';

const HOUR_S = 3_600;

/** A change in a few words: `kernel: 6.1 → 6.2`, `host rebooted`. */
export function changeText(change: MergedChange): string {
  const kind = kindWord(change.kind).text;
  const what = eventText(change);
  if (what === '') return kind;
  return change.kind === 'changed' || change.kind === 'settings' ? what : `${kind}: ${what}`;
}

/** The examined time in words: `Changes from 09:02 to 10:02, the hour before it began`. */
export function examinedText({ kind, time, from }: ChangeWindow, nowMs: number): string {
  const withinS = time - from;
  const length = withinS === HOUR_S ? 'hour' : span(withinS * 1000);
  const what = kind === 'first_seen' ? 'it began' : 'it became more frequent';
  return `Changes from ${momentText(from, nowMs)} to ${momentText(time, nowMs)}, the ${length} before ${what}.`;
}

/** The affected sources without an agent, about which nothing is known. */
export const unknownSources = (unknown: number): string =>
  unknown === 0 ? '' : ` ${plural(unknown, 'affected source')} ${unknown === 1 ? 'has' : 'have'} no agent.`;

/** The summary of the server without its first line, which repeats the error and its time in UTC. */
export function summaryLines(summary: string): string[] {
  const [first = '', ...others] = withFieldWords(summary).split('\n');
  return others.length === 0 ? [first] : others;
}

/** The subject: the error on all of its sources, or its only source. */
export function suspectsSubject({ windows }: ErrlogChanges, name: string): string {
  const [began] = windows.filter(({ kind }) => kind === 'first_seen');
  const sources = began === undefined ? 0 : began.affected + began.unknown;
  if (sources === 1) return `This error on ${clean(name)}, its only source.`;
  return sources === 0 ? 'This error on all of its sources.' : `This error on all of its ${grouped(sources)} sources.`;
}

/** The reason for which changes may be missing. */
export function suspectsIncomplete({ windows }: ErrlogChanges, nowMs: number): string {
  const earliest = Math.min(...windows.map(({ from }) => from));
  const reach = windows.length === 0 ? 'far enough back' : `back to ${momentText(earliest, nowMs)}`;
  return `Incomplete: there were too many changes to compare all, or the history of an agent does not reach ${reach}.`;
}

/** Why no change can be named before an error, in a line. */
export function nothingNamed({ affected, unknown }: ChangeWindow): string {
  if (affected > 0)
    return `Nothing changed on ${affected === 1 ? 'its agent' : `its ${grouped(affected)} agents`} in this time.`;
  return unknown === 1
    ? 'Cannot tell: its source has no agent.'
    : `Cannot tell: its ${grouped(unknown)} sources have no agent.`;
}
