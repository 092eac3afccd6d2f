// Parses lines that are JSON objects, in the forms of common loggers: pino, bunyan, winston, zap, logrus, logstash,
// python-json-logger, GELF, and our own intake.

import { LEVEL_ERROR, LEVELS } from '../domain/level.ts';
import { cleanName } from './clean-name.ts';
import { addJsonField } from './json-fields.ts';
import { levelOfName } from './level-names.ts';
import type { FieldSet } from './line-fields.ts';
import { leadingTime, plausibleSeconds } from './local-time.ts';
import { cleanText } from './log-line.ts';

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

type Members = Readonly<Record<string, unknown>>;

/** A member that was found, and its meaning. */
interface Found<T> {
  readonly key: string;
  readonly value: T;
}

const MESSAGES = ['message', 'msg', 'log', 'short_message', 'event', 'error'];
const STACKS = [
  ...['stack', 'stacktrace', 'stack_trace', 'exc_info', 'exception', 'full_message'],
  ...['error.stack_trace', 'error.stack', 'exception.stacktrace'],
];
const ERRORS = ['err', 'error', 'exception'];
const LEVEL_NAMES = ['level', 'severity', 'levelname', 'lvl', 'log.level', 'loglevel'];
const TIMES = ['time', 'timestamp', '@timestamp', 'ts', 'log_time', 'asctime'];
const REQUEST_IDS = ['request_id', 'req_id', 'requestId', 'reqId', 'trace_id'];
const HOSTS = ['host', 'hostname', 'host.name'];
const SERVICES = ['service', 'service.name', 'service_name'];
const REQUEST_ID_MAX = 128;
const APP_ID_MAX = 2_147_483_647;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** Finds the first of the names whose member has a meaning. */
function find<T>(
  members: Members | undefined,
  names: readonly string[],
  read: (value: unknown) => T | undefined,
): Found<T> | undefined {
  if (members === undefined) return undefined;
  for (const key of names) {
    const value = read(members[key]);
    if (value !== undefined) return { key, value };
  }
  return undefined;
}

/** Levels of pino and bunyan: 10 trace, 20 debug, ... 60 fatal. */
const levelOfTens = (value: number): number =>
  [8, 8, 7, 5, LEVEL_ERROR, 3][Math.min(6, Math.floor(value / 10)) - 1] ?? 8;

function readLevel(value: unknown, isGelf: boolean): number | undefined {
  if (typeof value === 'string') return levelOfName(value.trim());
  if (typeof value !== 'number' || value < 0) return undefined;
  if (value >= 10) return levelOfTens(value);
  // GELF uses the severities of syslog; any other small number is one of our levels.
  const level = isGelf ? value + 1 : value;
  return Number.isInteger(level) && level < LEVELS.length ? level : undefined;
}

/** Converts seconds, milliseconds, microseconds or nanoseconds to seconds. */
function secondsOf(value: number): number {
  if (value > 1e17) return value / 1e9;
  if (value > 1e14) return value / 1e6;
  return value > 1e11 ? value / 1e3 : value;
}

function readTime(value: unknown, nowS: number): number | undefined {
  if (typeof value === 'number') return plausibleSeconds(secondsOf(value), nowS);
  return typeof value === 'string' ? leadingTime(value, nowS) : undefined;
}

function readRequestId(value: unknown): string | undefined {
  const id = readText(value);
  return id !== undefined && id.length <= REQUEST_ID_MAX ? id : undefined;
}

function readAppId(value: unknown): number | undefined {
  const isAppId = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= APP_ID_MAX;
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

/** The text of an entry, and the members that it was made of. */
interface EntryText {
  log: string;
  hasStack: boolean;
  used: Found<unknown>[];
  /** The member that describes the error, and those of its own members that are in the text. */
  error?: Found<Members>;
  usedOfError: Found<unknown>[];
}

/** Finds the message and appends the stack trace, under any of the loggers' names. */
function textOf(members: Members): EntryText | undefined {
  const error = find(members, ERRORS, (value) => (isObject(value) ? value : undefined));
  const ownMessage = find(members, MESSAGES, readText);
  const ownStack = find(members, STACKS, readText);
  const innerMessage = find(error?.value, MESSAGES, readText);
  const innerStack = ownStack === undefined ? find(error?.value, STACKS, readText) : undefined;
  const message = (ownMessage ?? innerMessage)?.value;
  const stack = (ownStack ?? innerStack)?.value;
  if (message === undefined && stack === undefined) return undefined;
  const isRepeated = message === undefined || stack?.includes(message) === true;
  const log = isRepeated ? stack : [message, stack].filter((part) => part !== undefined).join('\n');
  if (log === undefined) return undefined;
  const isInText = innerMessage !== undefined && log.includes(innerMessage.value);
  return {
    log,
    hasStack: stack !== undefined,
    used: [ownMessage, ownStack].filter((found) => found !== undefined),
    ...(error === undefined ? {} : { error }),
    usedOfError: [isInText ? innerMessage : undefined, innerStack].filter((found) => found !== undefined),
  };
}

function addMember(fields: FieldSet, name: string, value: unknown): void {
  try {
    addJsonField(fields, name, value);
  } catch {
    fields.lose(name, 'The value has too many levels');
  }
}

/** Adds the members without a meaning. Those of `fields` have no prefix, as in lines over HTTP. */
function addRest(fields: FieldSet, members: Members, used: readonly (Found<unknown> | undefined)[], prefix = ''): void {
  const keys = new Set(used.map((found) => found?.key));
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (keys.has(key)) continue;
    if (key === 'fields' && prefix === '' && isObject(value)) {
      for (const name of Object.keys(value)) addMember(fields, name, value[name]);
    } else addMember(fields, prefix + key, value);
  }
}

/**
 * Parses a JSON object with a message; undefined for any other line. A time more than a day after `nowS` is absent.
 * Members without a meaning become `fields`.
 */
export function readJson(text: string, nowS: number, fields?: FieldSet): JsonEntry | undefined {
  const members = parseObject(text);
  return members && readJsonObject(members, nowS, fields);
}

/** Reads an object as {@link readJson} reads its text. */
export function readJsonObject(members: Members, nowS: number, fields?: FieldSet): JsonEntry | undefined {
  const found = textOf(members);
  if (found === undefined) return undefined;
  const isGelf = 'short_message' in members;
  const level = find(members, LEVEL_NAMES, (value) => readLevel(value, isGelf));
  const logTime = find(members, TIMES, (value) => readTime(value, nowS));
  const reqId = find(members, REQUEST_IDS, readRequestId);
  const appId = find(members, ['app_id'], readAppId);
  const host = find(members, HOSTS, readHost);
  const service = find(members, SERVICES, readService);
  if (fields !== undefined) {
    const { error } = found;
    addRest(fields, members, [...found.used, level, logTime, reqId, appId, error]);
    if (error !== undefined) addRest(fields, error.value, found.usedOfError, `${error.key}.`);
  }
  return {
    log: cleanText(found.log),
    isTrace: found.hasStack,
    ...(level && { level: level.value }),
    ...(logTime && { logTime: logTime.value }),
    ...(reqId && { reqId: reqId.value }),
    ...(appId && { appId: appId.value }),
    ...(host && { host: host.value }),
    ...(service && { service: service.value }),
  };
}
