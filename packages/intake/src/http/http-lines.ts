// Validates the body of `POST /admin-api/log_server/errlog` line by line. Written by hand instead of with a schema: a
// body has up to ten thousand lines.
import { cleanText, FieldSet, type LogLine, levelOfName } from '@quarterdeck/core/lines';
import { INT_MAX, LEVELS } from '@quarterdeck/core/plain';
import { LineWarnings, type Warnings } from '../base/line-warnings.ts';
import { linesOfAlerts } from './alertmanager.ts';
import { isMembers, readExtras, readLoggerLine } from './http-fields.ts';

/** A line of the HTTP intake, with its node. */
export interface IntakeLine extends LogLine {
  /** 0 global, 1 admin site, 2 log server (specification 4.5). */
  nodeType: number;
  /** -1 = none. */
  nodeId: number;
  /** Cleaned, at most 255 characters; absent = none. */
  host?: string;
}

export interface RefusedLine {
  /** Index in the array, or among the non-blank lines of NDJSON, from 0. */
  index: number;
  message: string;
}

/** `tooMany`: more than {@link MAX_INTAKE_LINES}, nothing was read, and the answer is 413. */
export interface IntakeResult extends Warnings {
  lines: IntakeLine[];
  refused: RefusedLine[];
  tooMany: boolean;
}

/** Maximum number of lines in one request. */
export const MAX_INTAKE_LINES = 10_000;

const DAY = 86_400;
const MAX_COUNT = 1_000_000_000;
const MAX_REQUEST_ID = 128;
const MILLISECONDS_FROM = 100_000_000_000;
/** Space, tab, LF and CR. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const LEVEL_MESSAGE = `level: must be 0 to 8 or one of ${LEVELS.join(', ')}`;

/** Index of the next character that is not JSON white space: a body may have millions of blank lines. */
function nextText(text: string, from: number): number {
  let at = from;
  while (at < text.length && BLANKS.has(text.charCodeAt(at))) at += 1;
  return at;
}

/** Result of a body with more lines than {@link MAX_INTAKE_LINES}. */
export const TOO_MANY: IntakeResult = { lines: [], refused: [], tooMany: true };

/** Reads the lines of one body in their order, which may come part by part. */
export class IntakeReading {
  readonly #now: number;
  #lines: IntakeLine[] = [];
  readonly #refused: RefusedLine[] = [];
  readonly #warnings = new LineWarnings();
  /** Number of lines so far. */
  #size = 0;

  /** `now` is the time of lines without one, Unix seconds. */
  constructor(now: number) {
    this.#now = now;
  }

  /**
   * Adds a parsed JSON body: an array of lines, one line, or a notification of Alertmanager. Returns false where they
   * are too many.
   */
  addJson(body: unknown): boolean {
    const items: readonly unknown[] = Array.isArray(body) ? body : (linesOfAlerts(body) ?? [body]);
    if (this.#size + items.length > MAX_INTAKE_LINES) return false;
    for (const item of items) this.#add(item);
    return true;
  }

  /**
   * Adds whole lines of NDJSON (`application/x-ndjson`): one JSON object a line, blank lines skipped, `\n` or `\r\n`.
   * Returns false where they are too many.
   */
  addNdjson(text: string): boolean {
    const isFirst = this.#size === 0;
    for (let start = nextText(text, isFirst && text.charCodeAt(0) === 0xfeff ? 1 : 0); start < text.length; ) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline;
      const item = text.slice(start, end).trim();
      start = nextText(text, end);
      if (item === '') continue;
      if (this.#size >= MAX_INTAKE_LINES) return false;
      this.#addText(item);
    }
    return true;
  }

  #add(item: unknown): void {
    const fields = new FieldSet();
    const read = readLine(item, this.#now, fields);
    if (typeof read === 'string') this.#refused.push({ index: this.#size, message: read });
    else {
      this.#lines.push(read);
      this.#warnings.addLost(this.#size, fields);
    }
    this.#size += 1;
  }

  #addText(item: string): void {
    let parsed: unknown;
    try {
      parsed = JSON.parse(item);
    } catch {
      this.#refused.push({ index: this.#size, message: 'must be one JSON object on a line of its own' });
      this.#size += 1;
      return;
    }
    this.#add(parsed);
  }

  /** Returns the lines that were added since the last call. */
  take(): IntakeLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** All but the lines. */
  result(): Omit<IntakeResult, 'lines'> {
    return { refused: this.#refused, tooMany: false, ...this.#warnings.take() };
  }
}

function isInteger(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

/** Returns the line, or a message that names the invalid field. */
function readLine(item: unknown, now: number, fields: FieldSet): IntakeLine | string {
  if (!isMembers(item)) return 'must be a JSON object';
  const own = item['log'] ?? undefined;
  const entry = own === undefined ? readLoggerLine(item, now, fields) : undefined;
  const level = entry === undefined ? readLevel(item['level']) : entry.level;
  if (level === undefined) return LEVEL_MESSAGE;
  const log = own ?? entry?.log;
  if (typeof log !== 'string' || log.trim() === '') return 'log: must be text that is not empty';
  const sent = item['log_time'] ?? entry?.logTime;
  const logTime = sent ?? now;
  const wrongTime = timeMessage(logTime, now);
  if (wrongTime !== undefined) return wrongTime;
  const appId = item['app_id'] ?? 0;
  if (!isInteger(appId, 0, INT_MAX)) return `app_id: must be an integer from 0 to ${INT_MAX}`;
  const reqId = readRequestId(item['req_id']);
  if (reqId === undefined) return `req_id: must be text of up to ${MAX_REQUEST_ID} characters or an integer`;
  const nodeType = item['node_type'] ?? 0;
  if (!isInteger(nodeType, 0, 2)) return 'node_type: must be 0 (global), 1 (admin site) or 2 (log server)';
  const nodeId = item['node_id'] ?? undefined;
  if (nodeId !== undefined && !isInteger(nodeId, 0, INT_MAX)) {
    return `node_id: must be an integer from 0 to ${INT_MAX}`;
  }
  const count = item['count'] ?? 1;
  if (!isInteger(count, 1, MAX_COUNT)) return `count: must be an integer from 1 to ${MAX_COUNT}`;
  const extras = entry?.extras ?? readExtras(item, fields);
  if (typeof extras === 'string') return extras;
  const { host, service, fields: found } = extras;
  const line: IntakeLine = {
    level,
    log: cleanText(log),
    logTime: Number(logTime),
    appId,
    reqId: reqId || (entry?.reqId ?? ''),
    count,
    nodeType,
    nodeId: nodeId ?? -1,
  };
  // In the form of this API the sender leaves the time to the server.
  if (sent === undefined && own === undefined) line.lacksTime = true;
  if (host !== undefined) line.host = host;
  if (service !== undefined) line.service = service;
  if (found !== undefined) line.fields = found;
  return line;
}

function readLevel(value: unknown): number | undefined {
  if (typeof value === 'string') return levelOfName(value);
  return isInteger(value, 0, LEVELS.length - 1) ? value : undefined;
}

function timeMessage(value: unknown, now: number): string | undefined {
  if (typeof value === 'number' && value > MILLISECONDS_FROM) {
    return 'log_time: must be in seconds; this looks like milliseconds';
  }
  if (!isInteger(value, 0, MILLISECONDS_FROM)) return 'log_time: must be an integer, Unix seconds, 0 or more';
  if (value > now + DAY) return 'log_time: must not be more than one day in the future';
  return undefined;
}

/** Returns `''` for no id, undefined for an invalid one. */
function readRequestId(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  if (typeof value !== 'string' || value.length > MAX_REQUEST_ID) return undefined;
  return cleanText(value);
}
