// Facts about the error of an alert, each a sentence or two, in the order in which people ask.
import { type Fact, fact, NAMES_MAX, namesOf } from './facts.ts';
import { clockOf, isData, levelOf, type MessageData, textOf } from './message-data.ts';

/** Most characters of the text of an error, and of the sentence about its cause. */
const TEXT_MAX = 500;

const numberOf = (value: unknown): string =>
  typeof value === 'number' && Number.isFinite(value) ? value.toLocaleString('en-US') : '';

/** The error itself: `ERROR in shop: upstream <ip> timed out`, or `ERROR on web-7: ...` of lines without a service. */
export function whatFact({ level, service, source, text }: MessageData): Fact {
  const host = textOf(source) && ` on ${textOf(source)}`;
  const place = textOf(service) ? ` in ${textOf(service)}` : host;
  return fact('Error', `${levelOf(level)}${place}: ${textOf(text)}`, TEXT_MAX);
}

/** Its frequency: `340 since 03:07 UTC, 68 a minute, usually 0.4`. `nowS`: time of the message. */
export function countFact({ count, from, per_minute: rate, usual }: MessageData, nowS: number): Fact {
  return fact(
    'Count',
    `${numberOf(count)} since ${clockOf(from, nowS)}, ${numberOf(rate)} a minute, usually ${numberOf(usual) || '0'}`,
  );
}

/** Its hosts: `2 of 40: web-7, web-8`; their names alone where the number of all is not known, and all are named. */
export function hostsFact({ failing, of, names }: MessageData): Fact {
  const all = numberOf(of);
  const list = namesOf(names);
  const isWhole = Array.isArray(names) && names.length === failing && names.length <= NAMES_MAX;
  if (all === '' && isWhole) return fact('Hosts', list);
  return fact('Hosts', `${numberOf(failing)}${all && ` of ${all}`}${list && `: ${list}`}`);
}

/** The first suspected change, or why none is named. */
export function causeFact(cause: MessageData, nowS: number): Fact {
  const sentence = textOf(cause['sentence']);
  if (sentence !== '') {
    const strength = textOf(cause['strength']);
    return fact('Suspected change', `${sentence}${strength && ` (${strength})`}`, TEXT_MAX);
  }
  const next = cause['next_look'];
  const isAhead = typeof next === 'number' && next > nowS;
  const again = isAhead ? ` Look again at ${clockOf(next, nowS)}.` : '';
  return fact('Suspected change', `None. ${textOf(cause['why'])}${again}`, TEXT_MAX);
}

/** Failing hosts over a usual limit. */
export const vitalsFacts = ({ vitals }: MessageData): Fact[] =>
  Array.isArray(vitals) && vitals.length > 0 ? [fact('Vitals', vitals.map(textOf).join(' '), TEXT_MAX)] : [];

/** Missing parts, and other rules that found the same. */
export function noteFacts({ incomplete, also }: MessageData): Fact[] {
  const sentences = Array.isArray(incomplete) ? incomplete.map(textOf).filter((text) => text !== '') : [];
  const rules = Array.isArray(also) ? namesOf(also) : '';
  return [
    ...(sentences.length === 0 ? [] : [fact('Incomplete', sentences.join(' '), TEXT_MAX)]),
    ...(rules === '' ? [] : [fact('Found by other rules too', rules)]),
  ];
}

/** Parts of the data of an alert that are about its error. */
const EVIDENCE = ['what', 'counts', 'hosts', 'vitals', 'cause', 'lines', 'incomplete', 'also'] as const;

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** The data of a message that amends another one, with what that one said and this one does not. */
export function withEvidenceOf(data: MessageData, earlier: MessageData): MessageData {
  const kept = EVIDENCE.filter((name) => isEmpty(data[name]) && isData(earlier['what']));
  return { ...data, ...Object.fromEntries(kept.map((name) => [name, earlier[name]])) };
}
