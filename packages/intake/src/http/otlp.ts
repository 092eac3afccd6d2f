// Reads OpenTelemetry logs: the body of `POST /v1/logs`, JSON or protobuf, as log lines.
import {
  cleanName,
  cleanText,
  FieldSet,
  type LineFields,
  type LogLine,
  type LostFields,
  levelOfName,
  levelOfSeverityNumber,
  plausibleSeconds,
} from '@quarterdeck/core/lines';
import { AppError, LEVEL_ERROR, parseJson } from '@quarterdeck/core/plain';
import { checkJsonBounds } from '../base/json-bounds.ts';
import { LineWarnings, type Warnings } from '../base/line-warnings.ts';
import { tooManyRecords } from '../base/protobuf.ts';
import { readOtlpProtobuf } from './otlp-protobuf.ts';
import { asList, asObject, attributesOf, type Json, valueText } from './otlp-value.ts';

/** The lines of one resource. */
export interface OtlpSource {
  /** Name of the source, see {@link readOtlp}; `''` for none. */
  readonly name: string;
  readonly lines: LogLine[];
}

/** The lines of a request. The index of a warning is that of the record in the request. */
export interface OtlpResult extends Warnings {
  readonly sources: OtlpSource[];
  /** Number of records without content. */
  readonly rejected: number;
}

/** Maximum number of records in one request. */
const MAX_OTLP_RECORDS = 10_000;

/** Maximum number of values of any kind. Ten thousand records with a dozen attributes each have fewer. */
const MAX_OTLP_VALUES = 1_000_000;
/** Maximum characters of all lines. The attributes of a resource count in each of its lines. */
export const MAX_OTLP_TEXT = 32 * 1024 * 1024;

const MAX_REQUEST_ID = 128;
/** The last second that a date can hold. */
const MAX_S = 8_640_000_000_000;

/** Attributes with the id of a request, the preferred first. */
const REQUEST_ID_NAMES = ['request_id', 'req_id', 'request.id', 'http.request.id', 'http.request.header.x-request-id'];
/** Attributes of the process and the library are omitted: they do not distinguish errors, and may hold secrets. */
const OMITTED_ATTRIBUTES = /^(process|telemetry)\./;

/**
 * Reads a request.
 *
 * - The level is that of `severityNumber`, otherwise of `severityText`, otherwise ERROR.
 * - The text is the body, or the name of the event without a body. A map or list becomes JSON. `exception.stacktrace`
 *   follows the text, or `exception.type: exception.message` without a stack trace.
 * - The time is `timeUnixNano`, otherwise `observedTimeUnixNano`, otherwise `now`. A time more than a day ahead or from
 *   before 2001 is `now`, and the field `stamp` has it.
 * - The request id is an attribute, otherwise the trace id.
 * - All other attributes, `trace_id`, `span_id`, the scope and the attributes of the resource become fields.
 * - A source is `host.name`. Without a host it is `service.name@service.instance.id`, or either.
 * - The service of a line is `service.name`.
 *
 * @param now Unix seconds
 * @throws AppError `malformed_json`, `bad_request`, `too_large`
 */
export function readOtlp(bytes: Uint8Array, type: 'json' | 'protobuf', now: number): OtlpResult {
  const sources: OtlpSource[] = [];
  const warnings = new LineWarnings();
  let rejected = 0;
  let seen = 0;
  let text = 0;
  for (const item of asList(parse(bytes, type)['resourceLogs'])) {
    const group = asObject(item);
    const resource = readResource(attributesOf(asObject(group?.['resource'])?.['attributes']));
    const source: OtlpSource = { name: resource.source, lines: [] };
    for (const scoped of asList(group?.['scopeLogs']).map(asObject)) {
      const scope = asObject(scoped?.['scope'])?.['name'];
      const records = asList(scoped?.['logRecords']);
      if (seen + records.length > MAX_OTLP_RECORDS) throw tooManyRecords(MAX_OTLP_RECORDS);
      for (const record of records) {
        const fields = new FieldSet();
        const line = readRecord(asObject(record), typeof scope === 'string' ? scope : '', resource, now, fields);
        if (line === undefined) rejected += 1;
        else {
          source.lines.push(line);
          for (const { names, reason } of resource.lost) warnings.add(seen, names, reason);
          warnings.addLost(seen, fields);
        }
        seen += 1;
        text += line === undefined ? 0 : textLength(line);
        if (text > MAX_OTLP_TEXT) throw tooMuchText();
      }
    }
    if (source.lines.length > 0) sources.push(source);
  }
  return { sources, rejected, ...warnings.take() };
}

function textLength({ log, fields }: LogLine): number {
  let length = log.length;
  for (const name in fields) length += name.length + (fields[name]?.length ?? 0);
  return length;
}

const tooMuchText = () => {
  const message = `The records with the attributes of their resources have more than ${MAX_OTLP_TEXT} characters.`;
  return new AppError('too_large', { message });
};

function parse(bytes: Uint8Array, type: 'json' | 'protobuf'): Json {
  if (type === 'protobuf') {
    try {
      return asObject(readOtlpProtobuf(bytes, { records: MAX_OTLP_RECORDS, values: MAX_OTLP_VALUES })) ?? {};
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw new AppError('bad_request', { message: 'The body is not an OTLP request in protobuf.', cause });
    }
  }
  checkJsonBounds(bytes, MAX_OTLP_VALUES);
  const request = asObject(parseJson(bytes));
  const logs = request?.['resourceLogs'];
  if (request === undefined || (logs !== undefined && logs !== null && !Array.isArray(logs))) {
    throw new AppError('bad_request', { message: 'The body is not an OTLP request: resourceLogs must be an array.' });
  }
  return request;
}

/** The properties of a resource that its lines share. */
interface Resource {
  /** Name of the source; `''` for none. */
  readonly source: string;
  /** `''` for none. */
  readonly service: string;
  /** Its fields, limited to the fields of a line. */
  readonly fields: LineFields;
  readonly lost: readonly LostFields[];
}

function readResource(attributes: ReadonlyMap<string, string>): Resource {
  const fields = new FieldSet();
  for (const [name, value] of attributes) if (!OMITTED_ATTRIBUTES.test(name)) fields.add(name, value);
  const given = cleanName(attributes.get('service.name') ?? '');
  // The default of an SDK for an unnamed service.
  const service = given.startsWith('unknown_service') ? '' : given;
  const instance = cleanName(attributes.get('service.instance.id') ?? '');
  const without = service !== '' && instance !== '' ? cleanName(`${service}@${instance}`) : service || instance;
  const host = cleanName(attributes.get('host.name') ?? '');
  return { source: host || without, service, fields: fields.take() ?? {}, lost: [...fields.lost()] };
}

function readRecord(
  record: Json | undefined,
  scope: string,
  resource: Resource,
  now: number,
  set: FieldSet,
): LogLine | undefined {
  if (record === undefined) return undefined;
  const attributes = attributesOf(record['attributes']);
  const log = textOf(record, attributes);
  if (log.trim() === '') return undefined;
  const traceId = hexId(record['traceId'], 32);
  const requestId = REQUEST_ID_NAMES.map((name) => attributes.get(name)).find(isRequestId);
  const sent = secondsOf(record['timeUnixNano']) ?? secondsOf(record['observedTimeUnixNano']);
  const time = sent === undefined ? undefined : plausibleSeconds(sent, now);
  if (sent !== undefined && time === undefined) set.add('stamp', new Date(Math.min(sent, MAX_S) * 1000).toISOString());
  const fields = fieldsOf(record, attributes, traceId, scope, resource, set);
  const level = levelOf(record);
  return {
    level: level ?? LEVEL_ERROR,
    log: cleanText(log),
    logTime: time ?? now,
    appId: 0,
    reqId: requestId === undefined ? traceId : cleanText(requestId),
    count: 1,
    ...(resource.service === '' ? {} : { service: resource.service }),
    ...(fields === undefined ? {} : { fields }),
    ...(time === undefined ? { lacksTime: true } : {}),
    ...(level === undefined ? { lacksLevel: true } : {}),
  };
}

const isRequestId = (id: string | undefined) => id !== undefined && id !== '' && id.length <= MAX_REQUEST_ID;

function levelOf(record: Json): number | undefined {
  const number = record['severityNumber'];
  const level = typeof number === 'number' ? levelOfSeverityNumber(number) : undefined;
  if (level !== undefined) return level;
  const name = record['severityText'];
  return typeof name === 'string' ? levelOfName(name) : undefined;
}

function textOf(record: Json, attributes: ReadonlyMap<string, string>): string {
  const name = record['eventName'];
  const body =
    valueText(record['body']) || (typeof name === 'string' ? name : '') || attributes.get('event.name') || '';
  const type = attributes.get('exception.type') ?? '';
  const message = attributes.get('exception.message') ?? '';
  const said = type !== '' && message !== '' ? `${type}: ${message}` : type || message;
  const trace = attributes.get('exception.stacktrace') || said;
  if (trace === '' || body.includes(trace)) return body;
  return body === '' || trace.startsWith(body) || said.endsWith(body) ? trace : `${body}\n${trace}`;
}

/** Reads nanoseconds from decimal text or a number; undefined for 0, which means unknown. */
function secondsOf(nanos: unknown): number | undefined {
  if (typeof nanos !== 'string' && typeof nanos !== 'number') return undefined;
  const seconds = Math.floor(Number(nanos) / 1e9);
  return seconds > 0 ? seconds : undefined;
}

/** Reads a hexadecimal id; `''` for a different length, or for zeros only, which mean none. */
function hexId(value: unknown, length: number): string {
  if (typeof value !== 'string' || value.length !== length) return '';
  return /^[0-9a-f]+$/i.test(value) && !/^0+$/.test(value) ? value.toLowerCase() : '';
}

function fieldsOf(
  record: Json,
  attributes: ReadonlyMap<string, string>,
  traceId: string,
  scope: string,
  resource: Resource,
  fields: FieldSet,
): LineFields | undefined {
  fields.add('trace_id', traceId);
  fields.add('span_id', hexId(record['spanId'], 16));
  for (const [name, value] of attributes) if (name !== 'exception.stacktrace') fields.add(name, value);
  fields.add('scope', scope);
  for (const name in resource.fields) fields.add(name, resource.fields[name] ?? '');
  return fields.take();
}
