// Reads bulk requests of Elasticsearch as lines: NDJSON in which an action precedes each document.
import { createHash } from 'node:crypto';
import { cleanText, decodeText, FieldSet, levelInText, readJson, readJsonObject } from '@quarterdeck/core/lines';
import { AppError } from '@quarterdeck/core/plain';
import { checkJsonBounds } from '../base/json-bounds.ts';
import { LineWarnings } from '../base/line-warnings.ts';
import { lineOfEntry } from './entry-line.ts';
import { isMembers, type Members } from './http-fields.ts';
import { type IntakeLine, type IntakeResult, MAX_INTAKE_LINES, TOO_MANY } from './http-lines.ts';

/** A bulk request as lines. */
export interface BulkResult extends IntakeResult {
  /** The answer as JSON without `took`: `{"errors":false,"items":[...]}`. */
  readonly reply: string;
  /** Digest of a body whose documents all have an id, by which a repeated request is recognized. */
  readonly key: string | undefined;
}

const MAX_VALUES = 500_000;
const MAX_NAME = 255;
const ACTIONS: ReadonlySet<string> = new Set(['index', 'create', 'update', 'delete']);

/** The line before a document. */
interface Action {
  readonly verb: string;
  readonly index: string;
  readonly id: string | undefined;
}

/**
 * Reads a bulk request. `index` and `create` are lines; `update` and `delete` are refused one by one. A document is
 * read as an object of a logger, in ECS or any other form; one without a message is its own text. The index is a field.
 *
 * @param index index of actions without one; `''` for none
 * @param nowS Unix seconds, for documents without a time
 * @throws AppError `bad_request` for a line that is not an action, `too_large`
 */
export function readBulk(bytes: Uint8Array, index: string, nowS: number): BulkResult {
  checkJsonBounds(bytes, MAX_VALUES, true);
  const texts = new Lines(decodeText(bytes));
  const named = index.slice(0, MAX_NAME);
  const lines: IntakeLine[] = [];
  const refused: IntakeResult['refused'] = [];
  const warnings = new LineWarnings();
  const items: object[] = [];
  let ids = 0;
  for (let head = texts.next(); head !== undefined; head = texts.next()) {
    if (head === '') continue;
    if (items.length >= MAX_INTAKE_LINES) return { ...TOO_MANY, reply: '', key: undefined };
    const action = readAction(head, named, texts.number);
    const { verb, id } = action;
    const place = items.length;
    const fields = new FieldSet();
    const text = verb === 'delete' ? '' : (texts.next() ?? '');
    const read =
      verb === 'update' || verb === 'delete'
        ? `${verb} is not possible: lines are only added`
        : readDocument(text, action.index, nowS, fields);
    if (typeof read === 'string') refused.push({ index: place, message: read });
    else {
      lines.push(read);
      warnings.addLost(place, fields);
      if (id !== undefined) ids += 1;
    }
    items.push({ [verb]: itemOf(action, typeof read === 'string' ? read : undefined) });
  }
  const hasIds = ids > 0 && ids === lines.length;
  const key = hasIds ? createHash('sha256').update(bytes).digest('base64url') : undefined;
  const reply = JSON.stringify({ errors: refused.length > 0, items });
  return { lines, refused, tooMany: false, ...warnings.take(), reply, key };
}

/** Lines of a text, one at a time: a body may have millions of blank ones. */
class Lines {
  readonly #text: string;
  #at = 0;
  /** Number of the last line, from 1. */
  number = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the next line without white space around it; undefined behind the last one. */
  next(): string | undefined {
    if (this.#at > this.#text.length) return undefined;
    const newline = this.#text.indexOf('\n', this.#at);
    const end = newline < 0 ? this.#text.length : newline;
    const line = this.#text.slice(this.#at, end).trim();
    this.#at = end + 1;
    this.number += 1;
    return line;
  }
}

function readAction(text: string, index: string, number: number): Action {
  const [[verb = '', details] = []] = Object.entries(parseObject(text) ?? {});
  if (!ACTIONS.has(verb) || !isMembers(details)) {
    const message = `Line ${number} of the body is not an action such as {"create":{}}.`;
    throw new AppError('bad_request', { message });
  }
  const { _index, _id } = details;
  return {
    verb,
    index: typeof _index === 'string' ? _index.slice(0, MAX_NAME) : index,
    id: typeof _id === 'string' || typeof _id === 'number' ? String(_id) : undefined,
  };
}

function itemOf({ index, id }: Action, reason: string | undefined): object {
  const head = { _index: index, ...(id === undefined ? {} : { _id: id }) };
  if (reason !== undefined) return { ...head, status: 400, error: { type: 'document_parsing_exception', reason } };
  return { ...head, ...CREATED };
}

/** The part of an item that was stored. */
const CREATED = { _version: 1, result: 'created', status: 201, _shards: { total: 1, successful: 1, failed: 0 } };
/** The same as JSON. No name in an answer has these quotes: there they are escaped. */
const CREATED_JSON = JSON.stringify(CREATED).slice(1, -1);

/**
 * Changes the answer to a request that was refused for load. Its items say so in the words of Elasticsearch, and
 * clients send them again. Those that are not possible stay refused.
 */
export function rejectedReply(reply: string, reason: string): string {
  const rejected = { status: 429, error: { type: 'es_rejected_execution_exception', reason } };
  return reply
    .replaceAll(CREATED_JSON, () => JSON.stringify(rejected).slice(1, -1))
    .replace('{"errors":false', '{"errors":true');
}

/** Returns the line of a document, or a message that says why there is none. */
function readDocument(text: string, index: string, nowS: number, set: FieldSet): IntakeLine | string {
  const document = parseObject(text);
  if (document === undefined) return 'the document must be one JSON object on a line of its own';
  if (Object.keys(document).length === 0) return 'the document is empty';
  set.add('index', index);
  const entry = readJsonObject(document, nowS, { fields: set }) ??
    readJson(text, nowS) ?? { log: cleanText(text), isTrace: false };
  return lineOfEntry({ ...entry, level: entry.level ?? levelInText(entry.log) }, set.take(), nowS);
}

function parseObject(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
