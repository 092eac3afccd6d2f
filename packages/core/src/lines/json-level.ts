// Reads the level of an entry in JSON. A number is one only where the scale of its program is known.
import { LEVEL_ERROR, LEVELS } from '../base/level.ts';
import { type Index, LEVEL_NAMES, type Member } from './json-names.ts';
import { levelOfName, levelOfSeverityNumber } from './level-names.ts';

const NUMBER = /^\d{1,6}$/;
/** Nextcloud: debug, info, warning, error, fatal. */
const NEXTCLOUD = [8, 7, 5, LEVEL_ERROR, 3];
/** Log4j and Logback: from 10,000 debug to 50,000 fatal. */
const TEN_THOUSANDS = [8, 8, 7, 5, LEVEL_ERROR, 3];
/** MongoDB and others: one letter, of debug with a number. */
const LETTERS = new Map([...'DIWEF'].map((letter, i) => [letter, [8, 7, 5, LEVEL_ERROR, 3][i]]));

/** A level with the member that has it; without one for a level that is absent by its format. */
export interface FoundLevel {
  readonly member?: Member;
  readonly level: number;
}

/** Finds the level. `isOwn`: a small number is one of our own table, as over HTTP. */
export function findLevel(index: Index, isOwn: boolean): FoundLevel | undefined {
  return findWord(index) ?? findNumber(index, isOwn) ?? findByFormat(index);
}

function findWord(index: Index): FoundLevel | undefined {
  for (const name of LEVEL_NAMES) {
    const member = index.get(name);
    const level = typeof member?.value === 'string' ? levelOfWord(member.value.trim()) : undefined;
    if (member !== undefined && level !== undefined) return { member, level };
  }
  return undefined;
}

const levelOfWord = (word: string): number | undefined => (word.length === 1 ? LETTERS.get(word) : levelOfName(word));

function findNumber(index: Index, isOwn: boolean): FoundLevel | undefined {
  for (const name of LEVEL_NAMES) {
    const member = index.get(name);
    const isText = typeof member?.value === 'string' && NUMBER.test(member.value);
    if (member === undefined || (typeof member.value !== 'number' && !isText)) continue;
    const level = levelOfNumber(Number(member.value), name, index, isOwn);
    if (level !== undefined) return { member, level };
  }
  return undefined;
}

function levelOfNumber(value: number, name: string, index: Index, isOwn: boolean): number | undefined {
  if (name === 'severitynumber') return levelOfSeverityNumber(value);
  // HTTP and others have numbers of this name.
  if (name === 'status' || !Number.isInteger(value) || value < 0) return undefined;
  if (value >= 10) return levelOfLarge(value);
  if (isSyslog(name, index)) return value <= 7 ? value + 1 : undefined;
  if (index.has('reqid') && (index.has('remoteaddr') || index.has('app'))) return NEXTCLOUD[value];
  const isOurs = isOwn || typeof index.get('log')?.value === 'string';
  return isOurs && value < LEVELS.length ? value : undefined;
}

/** GELF, the journal of systemd, and ECS use the severities of syslog. */
const isSyslog = (name: string, index: Index): boolean =>
  name.endsWith('syslog.severity.code') ||
  index.has('shortmessage') ||
  (name === 'priority' && index.has('realtimetimestamp'));

function levelOfLarge(value: number): number | undefined {
  // Pino and Bunyan: 10 trace, 20 debug, ... 60 fatal.
  if (value < 100) return [8, 8, 7, 5, LEVEL_ERROR, 3][Math.min(6, Math.floor(value / 10)) - 1];
  // Monolog: 100 debug, 200 info, 250 notice, 300 warning, 400 error, 500 critical, 550 alert, 600 emergency.
  if (value <= 600) {
    if (value % 100 === 50) return value === 250 ? 6 : 2;
    return [8, 7, 5, LEVEL_ERROR, 3, 1][Math.floor(value / 100) - 1];
  }
  return value < 5_000 ? undefined : TEN_THOUSANDS[Math.min(5, Math.floor(value / 10_000))];
}

/** MongoDB has a letter, Kibana a tag, and CLEF omits the level of information. */
function findByFormat(index: Index): FoundLevel | undefined {
  const member = index.get('s');
  const level = typeof member?.value === 'string' ? LETTERS.get(member.value.charAt(0)) : undefined;
  if (member !== undefined && level !== undefined && index.has('t.$date')) return { member, level };
  const tags = index.get('tags')?.value;
  const tagged =
    Array.isArray(tags) && index.has('pid') && index.has('@timestamp') ? levelOfName(String(tags[0])) : undefined;
  if (tagged !== undefined) return { level: tagged };
  const isClef = index.has('@t') && (index.has('@m') || index.has('@mt'));
  return isClef ? { level: LEVELS.indexOf('INFO') } : undefined;
}
