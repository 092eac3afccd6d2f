// Erases the texts in a copy of lines: an event, an alert or a message, as JSON. A copy is about certain groups. Where
// one of them had an erased line, every text in the copy goes, but for names: a text of an unknown field may be a part
// of the line.
import { type CopiedLine, ERASED } from '@quarterdeck/store';

/** Texts of these fields are names, times and addresses, which are no part of a line. */
const NAMES: ReadonlySet<string> = new Set([
  'type',
  'timestamp',
  'kind',
  'state',
  'rule',
  'cause',
  'key',
  'source',
  'strength',
  'host',
  'service',
  'url',
  'until',
]);

const GROUP_KEY = /^group:(\d+)$/;

/** The result of an erasure of lines, which finds their copies. */
export interface ErasedLines {
  /** Groups that had an erased line. */
  readonly touched: ReadonlySet<number>;
  matchesCopy(line: CopiedLine): boolean;
}

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [name: string]: Json;
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Erases the texts of a copy. Returns undefined where it has none of an erased line. `isGroup` tells that the copy is
 * the group itself, whose id is `id`.
 */
export function withoutTexts(copy: unknown, isGroup: boolean, erased: ErasedLines): unknown {
  if (!isAbout(copy as Json, isGroup, erased)) return undefined;
  const cleared = clear(copy as Json);
  // A copy that was cleared before.
  return JSON.stringify(cleared) === JSON.stringify(copy) ? undefined : cleared;
}

function isAbout(value: Json, isGroup: boolean, erased: ErasedLines): boolean {
  if (Array.isArray(value)) return value.some((one: Json) => isAbout(one, false, erased));
  if (!isObject(value)) return false;
  const { id, group, groups, cause, key, log } = value;
  const named = [cause, key].map((text) => Number(GROUP_KEY.exec(typeof text === 'string' ? text : '')?.[1]));
  const listed = Array.isArray(groups) ? groups : [];
  const all = [isGroup ? id : undefined, group, ...listed, ...named];
  if (all.some((one) => typeof one === 'number' && erased.touched.has(one))) return true;
  const own = (isGroup ? id : group) ?? 0;
  if (typeof log === 'string' && erased.matchesCopy(lineOf(value, Number(own), log))) return true;
  return Object.values(value).some((one) => isAbout(one, false, erased));
}

function lineOf({ level, src, app_id, service, log_time }: JsonObject, group: number, log: string): CopiedLine {
  const number = (value: Json | undefined) => (typeof value === 'number' ? value : 0);
  return {
    group,
    log,
    level: number(level),
    src: number(src),
    appId: number(app_id),
    service: typeof service === 'string' ? service : '',
    time: number(log_time),
  };
}

function clear(value: Json, field = ''): Json {
  if (typeof value === 'string') return NAMES.has(field) || value === '' ? value : ERASED;
  if (Array.isArray(value)) return value.map((one: Json) => clear(one, field));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clear(one, name)]));
}
