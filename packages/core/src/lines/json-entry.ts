// Parses lines that are JSON objects, in the forms of common loggers: pino, bunyan, winston, zap, logrus, logstash,
// python-json-logger, GELF, and our own intake.

import { LEVEL_ERROR, LEVELS } from '../domain/level.ts';
import { levelOfName } from './level-names.ts';
import { leadingTime, plausibleSeconds } from './local-time.ts';
import { cleanText } from './log-line.ts';

/** A JSON object as a log entry. An absent value is one that the object does not have. */
export interface JsonEntry {
  level?: number;
  /** Cleaned message, with the stack trace behind it. Never empty. */
  log: string;
  /** Unix seconds. */
  logTime?: number;
  appId?: number;
  reqId?: string;
}

type Fields = Readonly<Record<string, unknown>>;

const MESSAGES = ['message', 'msg', 'log', 'short_message', 'event', 'error'];
const STACKS = ['stack', 'stacktrace', 'stack_trace', 'exc_info', 'exception', 'full_message'];
const LEVEL_NAMES = ['level', 'severity', 'levelname', 'lvl', 'log.level', 'loglevel'];
const TIMES = ['time', 'timestamp', '@timestamp', 'ts', 'log_time', 'asctime'];
const REQUEST_IDS = ['request_id', 'req_id', 'requestId', 'reqId', 'trace_id'];
const REQUEST_ID_MAX = 128;
const APP_ID_MAX = 2_147_483_647;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function firstText(fields: Fields, names: readonly string[]): string | undefined {
  return names.map((name) => fields[name]).find((value) => typeof value === 'string' && value.trim() !== '') as
    | string
    | undefined;
}

/** Levels of pino and bunyan: 10 trace, 20 debug, ... 60 fatal. */
const levelOfTens = (value: number): number =>
  [8, 8, 7, 5, LEVEL_ERROR, 3][Math.min(6, Math.floor(value / 10)) - 1] ?? 8;

function levelOf(fields: Fields): number | undefined {
  for (const name of LEVEL_NAMES) {
    const value = fields[name];
    const named = typeof value === 'string' ? levelOfName(value.trim()) : undefined;
    if (named !== undefined) return named;
    if (typeof value !== 'number' || value < 0) continue;
    if (value >= 10) return levelOfTens(value);
    // GELF uses the severities of syslog; any other small number is one of our levels.
    const level = 'short_message' in fields ? value + 1 : value;
    if (Number.isInteger(level) && level < LEVELS.length) return level;
  }
  return undefined;
}

/** Converts seconds, milliseconds, microseconds or nanoseconds to seconds. */
function secondsOf(value: number): number {
  if (value > 1e17) return value / 1e9;
  if (value > 1e14) return value / 1e6;
  return value > 1e11 ? value / 1e3 : value;
}

function timeOf(fields: Fields, nowS: number): number | undefined {
  for (const name of TIMES) {
    const value = fields[name];
    const time =
      typeof value === 'number'
        ? plausibleSeconds(secondsOf(value), nowS)
        : typeof value === 'string'
          ? leadingTime(value, nowS)
          : undefined;
    if (time !== undefined) return time;
  }
  return undefined;
}

function requestIdOf(fields: Fields): string | undefined {
  const id = firstText(fields, REQUEST_IDS);
  return id !== undefined && id.length <= REQUEST_ID_MAX ? id : undefined;
}

/** Finds the message and appends the stack trace, under any of the loggers' field names. */
function textOf(fields: Fields): string | undefined {
  const inner = [fields['err'], fields['error'], fields['exception']].find(isObject);
  const message = firstText(fields, MESSAGES) ?? (inner && firstText(inner, MESSAGES));
  const stack = firstText(fields, STACKS) ?? (inner && firstText(inner, STACKS));
  if (message === undefined || stack === undefined) return message ?? stack;
  return stack.includes(message) ? stack : `${message}\n${stack}`;
}

function parseObject(text: string): Fields | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a JSON object with a message; undefined for any other line. A time more than a day after `nowS` is absent. */
export function readJson(text: string, nowS: number): JsonEntry | undefined {
  const fields = parseObject(text);
  const log = fields && textOf(fields);
  if (fields === undefined || log === undefined) return undefined;
  const level = levelOf(fields);
  const logTime = timeOf(fields, nowS);
  const reqId = requestIdOf(fields);
  const app = fields['app_id'];
  const isAppId = Number.isInteger(app) && Number(app) >= 0 && Number(app) <= APP_ID_MAX;
  return {
    log: cleanText(log),
    ...(level === undefined ? {} : { level }),
    ...(logTime === undefined ? {} : { logTime }),
    ...(reqId === undefined ? {} : { reqId }),
    ...(isAppId ? { appId: Number(app) } : {}),
  };
}
