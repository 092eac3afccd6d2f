// Reads requests of Sentry's SDKs as lines: envelopes, and single events in the form of before.
import { createHash } from 'node:crypto';
import { cleanName, FieldSet } from '@quarterdeck/core/lines';
import { AppError, parseJson } from '@quarterdeck/core/plain';
import { checkJsonBounds } from '../base/json-bounds.ts';
import { LineWarnings } from '../base/line-warnings.ts';
import { type IntakeResult, MAX_INTAKE_LINES, TOO_MANY } from '../http/http-lines.ts';
import { asList, asObject, type Json } from '../http/otlp-value.ts';
import { type Item, readEnvelope } from './envelope.ts';
import { eventIdOf, readEvent } from './event.ts';
import { readLogRecord } from './log-records.ts';
import { idOf, type Reading, type SeenRelease, type SentryLine } from './reading.ts';

/** A request as lines. */
export interface SentryResult extends IntakeResult {
  /** The answer as JSON: the id of the event, if there is one. */
  readonly reply: string;
  /** Digest of the ids of its events, by which a repeated request is recognized; undefined without an id. */
  readonly key: string | undefined;
  /** Numbers of the items that are not stored, by type. */
  readonly omitted: Readonly<Record<string, number>>;
  /** Releases that its lines name, each once. */
  readonly releases: readonly SeenRelease[];
  /** For each line the parts of the fingerprint that its program chose. */
  readonly chosen: readonly (readonly string[] | undefined)[];
}

const MAX_VALUES = 500_000;
/** Most releases of one request. */
const MAX_RELEASES = 16;
/** Types that become part of a stage of the ledger as they are. */
const TYPE = /^[a-z][a-z0-9_]{0,31}$/;
const UNNAMED_TYPE = 'unknown';

/**
 * Reads an envelope. Events and log records are lines; items of other types are counted by type.
 *
 * @throws AppError `bad_request` for bytes that are no envelope, `malformed_json`, `too_large`
 */
export function readSentryEnvelope(bytes: Uint8Array, reading: Reading): SentryResult {
  const { header, items } = readEnvelope(bytes);
  const request = new SentryRequest(reading);
  request.noteId(idOf(header['event_id']));
  for (const item of items) if (!addItem(request, item)) return { ...NOTHING, ...TOO_MANY };
  return request.result();
}

/**
 * Reads a single event, the body of the store endpoint.
 *
 * @throws AppError `bad_request`, `malformed_json`, `too_large`
 */
export function readSentryStore(bytes: Uint8Array, reading: Reading): SentryResult {
  const request = new SentryRequest(reading);
  const event = readObject(bytes);
  if (event === undefined) throw new AppError('bad_request', { message: 'The body is not an event of Sentry.' });
  if (event['type'] === 'transaction') request.omit('transaction');
  else request.addEvent(event);
  return request.result();
}

const NOTHING = { reply: '{}', key: undefined, omitted: {}, releases: [], chosen: [] };

/** Adds an item; false beyond the maximum number of lines. */
function addItem(request: SentryRequest, { type, payload }: Item): boolean {
  if (type !== 'event' && type !== 'log') {
    request.omit(type);
    return true;
  }
  const value = readObject(payload);
  if (value === undefined) request.refuse(`an item of the type ${type} must be a JSON object`);
  else if (type === 'event') request.addEvent(value);
  else {
    const records = asList(value['items']);
    if (request.size + records.length > MAX_INTAKE_LINES) return false;
    for (const record of records) request.addLog(asObject(record));
  }
  return request.size <= MAX_INTAKE_LINES;
}

/** @throws AppError `malformed_json`, `too_large` */
function readObject(bytes: Uint8Array): Json | undefined {
  checkJsonBounds(bytes, MAX_VALUES);
  return asObject(parseJson(bytes));
}

/** The lines of one request. */
class SentryRequest {
  readonly #reading: Reading;
  readonly #read: SentryLine[] = [];
  readonly #refused: IntakeResult['refused'] = [];
  readonly #warnings = new LineWarnings();
  readonly #omitted = new Map<string, number>();
  readonly #ids = new Set<string>();
  #replyId = '';

  constructor({ project, ...reading }: Reading) {
    this.#reading = { ...reading, project: cleanName(project) };
  }

  /** Number of lines so far. */
  get size(): number {
    return this.#read.length + this.#refused.length;
  }

  /** Notes the id of the header, which is that of the event. */
  noteId(id: string): void {
    this.#replyId ||= id;
  }

  addEvent(event: Json): void {
    const id = eventIdOf(event) || this.#replyId;
    this.noteId(id);
    if (id !== '') this.#ids.add(id);
    const fields = new FieldSet();
    this.#add(readEvent(event, this.#reading, fields), fields);
  }

  addLog(record: Json | undefined): void {
    const fields = new FieldSet();
    const read = record && readLogRecord(record, this.#reading, fields);
    if (read === undefined) this.refuse('a log must be an object with a body that is not empty');
    else this.#add(read, fields);
  }

  refuse(message: string): void {
    this.#refused.push({ index: this.size, message });
  }

  /** Counts an item that is not stored. */
  omit(type: string): void {
    const name = TYPE.test(type) ? type : UNNAMED_TYPE;
    this.#omitted.set(name, (this.#omitted.get(name) ?? 0) + 1);
  }

  result(): SentryResult {
    const id = this.#replyId;
    return {
      lines: this.#read.map(({ line }) => line),
      refused: this.#refused,
      tooMany: false,
      ...this.#warnings.take(),
      reply: JSON.stringify(id === '' ? {} : { id }),
      key: this.#ids.size === 0 ? undefined : this.#digest(),
      omitted: Object.fromEntries(this.#omitted),
      releases: this.#releases(),
      chosen: this.#read.map(({ fingerprint }) => fingerprint),
    };
  }

  #add(read: SentryLine, fields: FieldSet): void {
    this.#warnings.addLost(this.size, fields);
    this.#read.push(read);
  }

  #digest(): string {
    return createHash('sha256')
      .update(JSON.stringify([this.#reading.project, ...this.#ids]))
      .digest('base64url');
  }

  #releases(): SeenRelease[] {
    const found = new Map<string, SeenRelease>();
    for (const { release } of this.#read) {
      if (release === undefined || found.size >= MAX_RELEASES) continue;
      const key = JSON.stringify([release.service, release.environment, release.release]);
      if (!found.has(key)) found.set(key, release);
    }
    return [...found.values()];
  }
}
