// Parses lines that are JSON objects, in the forms of common loggers. `json-names.ts` lists their names.

import { INT_MAX } from '../base/integer.ts';
import { cleanName } from './clean-name.ts';
import { addJsonField } from './json-fields.ts';
import { findLevel } from './json-level.ts';
import { HOSTS, type Index, indexOf, isObject, type Members, REQUEST_IDS, SERVICES, TIMES } from './json-names.ts';
import { type EntryText, readText, textOf } from './json-text.ts';
import { plausibleSeconds, readLeadingTime } from './leading-time.ts';
import type { FieldSet } from './line-fields.ts';
import { cleanText } from './log-line.ts';
import type { TimeZone } from './time-zone.ts';

/** A JSON object as a log entry. An absent value is one that the object does not have. */
export interface JsonEntry {
  level?: number;
  /** Cleaned message, with the stack trace behind it. Never empty. */
  log: string;
  /** It has a stack trace, so it is an error unless it names another level. */
  isTrace: boolean;
  /** Unix seconds. */
  logTime?: number;
  appId?: number;
  reqId?: string;
  /** Cleaned names, which are fields as well. */
  host?: string;
  service?: string;
}

/** Options of {@link readJson}. */
export interface JsonOptions {
  /** Receives the members without a meaning. */
  readonly fields?: FieldSet | undefined;
  /** Zone of times that name none; that of the host by default. */
  readonly zone?: TimeZone | undefined;
  /** A small number as level is one of our own table. */
  readonly isOwn?: boolean;
}

const REQUEST_ID_MAX = 128;

/** Finds the first of the names whose member has a meaning. */
function find<T>(index: Index, names: readonly string[], read: (value: unknown) => T | undefined) {
  for (const name of names) {
    const member = index.get(name);
    const value = member && read(member.value);
    if (member !== undefined && value !== undefined) return { path: member.path, value };
  }
  return undefined;
}

/** Converts seconds, milliseconds, microseconds or nanoseconds to seconds. */
function secondsOf(value: number): number {
  if (value > 1e17) return value / 1e9;
  if (value > 1e14) return value / 1e6;
  return value > 1e11 ? value / 1e3 : value;
}

function readTime(value: unknown, nowS: number, zone: TimeZone | undefined): number | undefined {
  if (typeof value === 'number') return plausibleSeconds(secondsOf(value), nowS);
  return typeof value === 'string' ? readLeadingTime(value, nowS, zone)?.seconds : undefined;
}

function readRequestId(value: unknown): string | undefined {
  const id = readText(value);
  return id !== undefined && id.length <= REQUEST_ID_MAX ? id : undefined;
}

function readAppId(value: unknown): number | undefined {
  const isAppId = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= INT_MAX;
  return isAppId ? Number(value) : undefined;
}

/** The name of a host has no white space, so that no sender can take the name of another kind of source. */
const readHost = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\S+$/.test(value) ? cleanName(value) || undefined : undefined;

const readService = (value: unknown): string | undefined =>
  typeof value === 'string' ? cleanName(value) || undefined : undefined;

function parseObject(text: string): Members | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function addMember(fields: FieldSet, name: string, value: unknown): void {
  try {
    addJsonField(fields, name, value);
  } catch {
    fields.lose(name, 'The value has too many levels');
  }
}

/** Paths of members that have become parts of the entry, and of the objects around them. */
class UsedPaths {
  readonly #paths: ReadonlySet<string>;
  readonly #around = new Set<string>();

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths);
    for (const path of paths) {
      for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) this.#around.add(path.slice(0, dot));
    }
  }

  /** Adds the members without a meaning. Those of `fields` have no prefix, as in lines over HTTP. */
  addRest(fields: FieldSet, members: Members, path = '', prefix = ''): void {
    for (const key of Object.keys(members)) {
      const value = members[key];
      const own = path + key;
      if (this.#paths.has(own)) continue;
      const isFields = own === 'fields' && isObject(value);
      if (isFields) this.addRest(fields, value, 'fields.');
      else if (isObject(value) && this.#around.has(own)) this.addRest(fields, value, `${own}.`, `${prefix}${key}.`);
      else addMember(fields, prefix + key, value);
    }
  }
}

/**
 * Parses a JSON object with a message; undefined for any other line. A time that is too far off is absent. Members
 * without a meaning become `fields`. An object without a message that has a level or a time is its own text.
 */
export function readJson(text: string, nowS: number, options: JsonOptions = {}): JsonEntry | undefined {
  const members = parseObject(text);
  if (members === undefined) return undefined;
  const index = indexOf(members);
  const found = textOf(members, index);
  if (found !== undefined) return entryOf(members, index, found, nowS, options);
  const { level, logTime } = entryOf(members, index, { log: text, hasStack: false, used: [] }, nowS, {
    ...options,
    fields: undefined,
  });
  if (level === undefined && logTime === undefined) return undefined;
  const log = cleanText(text);
  return {
    log,
    isTrace: false,
    ...(level === undefined ? {} : { level }),
    ...(logTime === undefined ? {} : { logTime }),
  };
}

/** Reads an object with a message as {@link readJson} reads its text. */
export function readJsonObject(members: Members, nowS: number, options: JsonOptions = {}): JsonEntry | undefined {
  const index = indexOf(members);
  const found = textOf(members, index);
  return found && entryOf(members, index, found, nowS, options);
}

function entryOf(members: Members, index: Index, found: EntryText, nowS: number, options: JsonOptions): JsonEntry {
  const { fields, zone, isOwn = false } = options;
  const level = findLevel(index, isOwn);
  const logTime = find(index, TIMES, (value) => readTime(value, nowS, zone));
  const reqId = find(index, REQUEST_IDS, readRequestId);
  const appId = find(index, ['appid'], readAppId);
  const host = find(index, HOSTS, readHost);
  const service = find(index, SERVICES, readService);
  if (fields !== undefined) {
    const parts = [level?.member, logTime, reqId, appId].map((part) => part?.path).filter((path) => path !== undefined);
    new UsedPaths([...found.used, ...parts]).addRest(fields, members);
  }
  return {
    log: cleanText(found.log),
    isTrace: found.hasStack,
    ...(level && { level: level.level }),
    ...(logTime && { logTime: logTime.value }),
    ...(reqId && { reqId: reqId.value }),
    ...(appId && { appId: appId.value }),
    ...(host && { host: host.value }),
    ...(service && { service: service.value }),
  };
}
