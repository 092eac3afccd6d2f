// Reads the values of options and arguments: the types of the contract, in the forms that people type.
import { formatMoment, parseMoment } from '@quarterdeck/core/filter';
import { LEVELS } from '@quarterdeck/core/plain';
import { usage } from '../process/command-error.ts';
import { type Flag, optionName } from './command.ts';
import { fieldHint, hasField } from './output-fields.ts';

const AGE = /^(?:\d+[wdhms])+$/i;

const wrong = (name: string, text: string, allowed: string) =>
  usage(`${name} cannot be ${JSON.stringify(text.slice(0, 80))}. Use ${allowed}.`);

/** Unix seconds of a time, or of a time before now: `2h`, `2026-01-31`, `2026-01-31T10:00Z`, `1769853600`. */
export function readTime(name: string, text: string, nowMs: number): number {
  const moment = parseMoment(text, false);
  if (moment === undefined) throw wrong(name, text, 'an age such as 2h or 7d, a date, an ISO time or Unix seconds');
  return 'unix' in moment ? moment.unix : Math.floor(nowMs / 1000) - moment.ago;
}

/** Unix milliseconds of a time to come: `90d`, `2027-01-31`, an ISO time; `never` is 0. */
function readExpiry(name: string, text: string, nowMs: number): number {
  if (text === 'never' || text === '0') return 0;
  const moment = parseMoment(text, true);
  if (moment === undefined) throw wrong(name, text, 'a duration such as 90d, a date, an ISO time or never');
  return 'unix' in moment ? moment.unix * 1000 : nowMs + moment.ago * 1000;
}

/** Seconds of a duration: `30m`, `1d12h`, `90`. */
export function readDuration(name: string, text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const moment = AGE.test(text) ? parseMoment(text, false) : undefined;
  if (moment === undefined || !('ago' in moment)) throw wrong(name, text, 'a duration such as 30m, 1h or 90 seconds');
  return moment.ago;
}

/** Short form of a duration in seconds. */
export const durationText = (seconds: number): string => formatMoment({ ago: seconds });

function readLevel(name: string, text: string): number {
  const names: readonly string[] = LEVELS;
  const level = /^\d$/.test(text) ? Number(text) : names.indexOf(text.toUpperCase());
  if (level < 0 || level >= names.length) throw wrong(name, text, `one of ${names.join(', ').toLowerCase()}`);
  return level;
}

/** A number as a whole. */
export function readNumber(name: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw wrong(name, text, 'a number');
  return value;
}

function readPairs(name: string, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    splitList(texts).map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw wrong(name, pair, 'name=value');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrong(name, text, 'JSON');
  }
}

/** Splits values that are separated by commas; the option may also be repeated. */
export const splitList = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split(',')).filter((text) => text !== '');

/** Options with several values. */
export const isRepeated = ({ type }: Pick<Flag, 'type'>): boolean =>
  type === 'texts' || type === 'numbers' || type === 'pairs';

/** Reads the value of an option: a text, a boolean, or the texts of one that is repeated. */
export function readValue(flag: Flag, given: unknown, nowMs: number): unknown {
  const name = optionName(flag.name);
  const texts = Array.isArray(given) ? given.map(String) : [String(given)];
  const text = texts[0] ?? '';
  switch (flag.type) {
    case 'flag':
      return given === true;
    case 'number':
      return readNumber(name, text);
    case 'level':
      return readLevel(name, text);
    case 'time':
      return readTime(name, text, nowMs);
    case 'expiry':
      return readExpiry(name, text, nowMs);
    case 'duration':
      return readDuration(name, text);
    case 'json':
      return readJson(name, text);
    case 'pairs':
      return readPairs(name, texts);
    case 'numbers':
      return splitList(texts).map((one) => readNumber(name, one));
    case 'texts':
      return splitList(texts).map((one) => oneOf(flag, name, one));
    default:
      return oneOf(flag, name, text);
  }
}

function oneOf({ values, fields }: Flag, name: string, text: string): string {
  if (fields !== undefined && !hasField(fields, text)) {
    throw usage(`${name} cannot be ${JSON.stringify(text.slice(0, 80))}. ${fieldHint(fields, text)}`);
  }
  if (values !== undefined && !values.includes(text)) throw wrong(name, text, `one of ${values.join(', ')}`);
  return text;
}
