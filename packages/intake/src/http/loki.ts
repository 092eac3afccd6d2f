// Reads the push requests of Loki as lines: JSON in its two forms, and protobuf.
import {
  cleanText,
  FieldSet,
  levelOfName,
  plausibleSeconds,
  readLeadingTime,
  readTextEntry,
} from '@quarterdeck/core/lines';
import { AppError, parseJson } from '@quarterdeck/core/plain';
import { checkJsonBounds } from '../base/json-bounds.ts';
import { LineWarnings } from '../base/line-warnings.ts';
import { type Field, type Message, readProtobuf } from '../base/protobuf.ts';
import { lineOfEntry } from './entry-line.ts';
import { type IntakeLine, type IntakeResult, MAX_INTAKE_LINES, TOO_MANY } from './http-lines.ts';
import { asList, asObject } from './otlp-value.ts';

/** Labels of a stream, or structured metadata of an entry, by name. */
type Labels = ReadonlyMap<string, string>;

/** An entry of a stream. */
interface Entry {
  readonly text: unknown;
  /** Unix seconds; undefined where it has none. */
  readonly seconds: number | undefined;
  readonly metadata: Labels;
}

/** The entries of one set of labels. */
interface Stream {
  readonly labels: Labels;
  readonly entries: readonly Entry[];
}

const MAX_VALUES = 500_000;
/** Last second that a date can hold. */
const MAX_S = 8_640_000_000_000;
/** Labels with the parts of a line, the preferred first. */
const SERVICES = ['service_name', 'app', 'job'];
const HOSTS = ['host', 'instance'];
const LEVEL_LABELS = ['level', 'detected_level'];
/** Loki's name for a service that has none. */
const UNKNOWN_SERVICE = 'unknown_service';

const PAIR: Message = new Map<number, Field>([
  [1, { name: 'name', type: 'text' }],
  [2, { name: 'value', type: 'text' }],
]);
const TIMESTAMP: Message = new Map<number, Field>([[1, { name: 'seconds', type: 'int64' }]]);
const ENTRY: Message = new Map<number, Field>([
  [1, { name: 'timestamp', type: TIMESTAMP }],
  [2, { name: 'line', type: 'text' }],
  [3, { name: 'metadata', type: PAIR, isList: true }],
]);
const STREAM: Message = new Map<number, Field>([
  [1, { name: 'labels', type: 'text' }],
  [2, { name: 'entries', type: ENTRY, isList: true, isRecord: true }],
]);
const PUSH: Message = new Map<number, Field>([[1, { name: 'streams', type: STREAM, isList: true }]]);

/**
 * Reads a push request.
 *
 * - The service is the label `service_name`, otherwise `app`, otherwise `job`. The host is `host`, otherwise
 *   `instance`.
 * - The level is `level`, otherwise `detected_level`, of the metadata or of the labels; otherwise that of the text,
 *   which is read as a line of a file; otherwise INFO.
 * - The time is that of the entry. One that is too far off is `nowS`, and the field `stamp` has it.
 * - All other labels and metadata become fields, and so do the members of a text that is a JSON object.
 *
 * @param nowS Unix seconds, for entries without a time
 * @throws AppError `malformed_json`, `bad_request`, `too_large`
 */
export function readLoki(bytes: Uint8Array, type: 'json' | 'protobuf', nowS: number): IntakeResult {
  const streams = type === 'json' ? streamsOfJson(bytes, nowS) : streamsOfProtobuf(bytes);
  const lines: IntakeLine[] = [];
  const refused: IntakeResult['refused'] = [];
  const warnings = new LineWarnings();
  let index = 0;
  for (const { labels, entries } of streams) {
    if (index + entries.length > MAX_INTAKE_LINES) return TOO_MANY;
    for (const entry of entries) {
      const fields = new FieldSet();
      const line = readEntry(entry, labels, nowS, fields);
      if (line === undefined) refused.push({ index, message: 'the line must be text that is not empty' });
      else {
        lines.push(line);
        warnings.addLost(index, fields);
      }
      index += 1;
    }
  }
  return { lines, refused, tooMany: false, ...warnings.take() };
}

function readEntry({ text, seconds, metadata }: Entry, labels: Labels, nowS: number, set: FieldSet) {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  const own = readTextEntry(text, nowS);
  const find = (names: readonly string[]): string | undefined =>
    names.map((name) => metadata.get(name) ?? labels.get(name)).find((value) => value !== undefined && value !== '');
  const service = find(SERVICES.filter((name) => labels.get(name) !== UNKNOWN_SERVICE)) ?? own.service;
  const host = find(HOSTS) ?? own.host;
  const named = LEVEL_LABELS.map((name) => levelOfName(find([name]) ?? '')).find((level) => level !== undefined);
  const logTime = seconds === undefined ? own.logTime : plausibleSeconds(seconds, nowS);
  if (seconds !== undefined && logTime === undefined)
    set.add('stamp', new Date(Math.min(Math.max(seconds, 0), MAX_S) * 1_000).toISOString());
  for (const [name, value] of [...metadata, ...labels]) set.add(name, value);
  for (const name in own.fields) if (!set.has(name)) set.add(name, own.fields[name] ?? '');
  const entry = { ...own, level: named ?? own.level, log: cleanText(own.log), logTime, host, service };
  return lineOfEntry(entry, set.take(), nowS);
}

/** `{streams: [{stream: {...}, values: [[ns, line, metadata?]]}]}`, or of before `{labels, entries: [{ts, line}]}`. */
function streamsOfJson(bytes: Uint8Array, nowS: number): Stream[] {
  checkJsonBounds(bytes, MAX_VALUES);
  const streams = asObject(parseJson(bytes))?.['streams'];
  if (!Array.isArray(streams)) throw noPush();
  return streams.map((item): Stream => {
    const stream = asObject(item) ?? {};
    const { labels } = stream;
    if (typeof labels === 'string') {
      const entries = asList(stream['entries']).map((entry): Entry => {
        const { line, ts, timestamp } = asObject(entry) ?? {};
        return { text: line, seconds: secondsOfText(ts ?? timestamp, nowS), metadata: new Map() };
      });
      return { labels: parseLabels(labels), entries };
    }
    const entries = asList(stream['values']).map((value): Entry => {
      const [nanos, text, metadata] = asList(value);
      return { text, seconds: secondsOf(nanos), metadata: labelsOf(metadata) };
    });
    return { labels: labelsOf(stream['stream']), entries };
  });
}

function streamsOfProtobuf(bytes: Uint8Array): Stream[] {
  let push: unknown;
  try {
    push = readProtobuf(bytes, PUSH, { records: MAX_INTAKE_LINES, values: MAX_VALUES });
  } catch (cause) {
    throw cause instanceof AppError ? cause : noPush(cause);
  }
  return asList(asObject(push)?.['streams']).map((item): Stream => {
    const { labels, entries } = asObject(item) ?? {};
    return {
      labels: parseLabels(typeof labels === 'string' ? labels : ''),
      entries: asList(entries).map((entry): Entry => {
        const { timestamp, line, metadata } = asObject(entry) ?? {};
        const seconds = Number(asObject(timestamp)?.['seconds'] ?? 0);
        const pairs = asList(metadata).map((pair) => {
          const { name, value } = asObject(pair) ?? {};
          return [String(name ?? ''), String(value ?? '')] as const;
        });
        return { text: line, seconds: seconds === 0 ? undefined : seconds, metadata: new Map(pairs) };
      }),
    };
  });
}

const noPush = (cause?: unknown) =>
  new AppError('bad_request', { message: 'The body is not a push request of Loki.', ...(cause ? { cause } : {}) });

/** Reads nanoseconds, which JSON has as text; undefined for 0 and for anything else. */
function secondsOf(nanos: unknown): number | undefined {
  const seconds = typeof nanos === 'string' || typeof nanos === 'number' ? Math.floor(Number(nanos) / 1e9) : 0;
  return Number.isFinite(seconds) && seconds !== 0 ? seconds : undefined;
}

const secondsOfText = (time: unknown, nowS: number): number | undefined =>
  typeof time === 'string' ? readLeadingTime(time, nowS)?.seconds : undefined;

function labelsOf(value: unknown): Labels {
  return new Map(
    Object.entries(asObject(value) ?? {}).map(([name, one]) => [
      name,
      typeof one === 'string' ? one : JSON.stringify(one),
    ]),
  );
}

/** Characters of labels that are read: more than the fields of a line may have. */
const MAX_LABELS = 65_536;
/** `name="value"` with the escapes of Go, or a value between backquotes. Sticky: no text is searched twice. */
const LABEL = /\s*([A-Za-z_][\w.]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)\s*,?/y;
const ESCAPES = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

/** Parses labels as a selector has them: `{app="shop", job="a\\"b"}`. What follows the first mistake is not read. */
function parseLabels(text: string): Labels {
  const labels = new Map<string, string>();
  const given = text.slice(text.indexOf('{') + 1).slice(0, MAX_LABELS);
  LABEL.lastIndex = 0;
  for (let found = LABEL.exec(given); found !== null; found = LABEL.exec(given)) {
    const [, name = '', quoted, raw = ''] = found;
    labels.set(name, quoted?.replace(/\\(.)/gs, (_, letter: string) => ESCAPES.get(letter) ?? letter) ?? raw);
  }
  return labels;
}
