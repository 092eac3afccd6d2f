// Reads what a line over HTTP has beside its message: host, service and fields.
import {
  addJsonField,
  cleanName,
  type FieldSet,
  type JsonEntry,
  type LineFields,
  MAX_NAME,
  readJsonObject,
} from '@quarterdeck/core/lines';

/** A line as an object of JSON. */
export type Members = Readonly<Record<string, unknown>>;

/** Extras of a line: all that it has beside its message. An absent value is one that the line does not have. */
export interface LineExtras {
  host?: string;
  service?: string;
  fields?: LineFields;
}

const NAMES = ['host', 'service'] as const;
/** Members with a meaning of their own; all others become fields. */
const OWN: ReadonlySet<string> = new Set([
  ...['level', 'log', 'log_time', 'app_id', 'req_id', 'node_type', 'node_id', 'count', 'fields', ...NAMES],
]);

/** The names among them that loggers use. */
const LOGGERS: ReadonlySet<string> = new Set(['level', 'fields', ...NAMES]);

/** True for an object of JSON. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads the extras of a line into `fields`, which knows those that were lost. Returns a message that names an invalid
 * member.
 *
 * `host` and `service` are text, or an object that becomes fields. Of all fields, `host.name` and `service.name` count
 * as in OpenTelemetry.
 */
export function readExtras(line: Members, fields: FieldSet): LineExtras | string {
  for (const key of NAMES) {
    const value = line[key] ?? undefined;
    if (value !== undefined && typeof value !== 'string' && !isMembers(value)) return `${key}: must be text`;
  }
  const own = line['fields'] ?? {};
  if (!isMembers(own)) return 'fields: must be an object';
  const host = readName(line, 'host', fields);
  const service = readName(line, 'service', fields);
  for (const name in own) addJsonField(fields, name, own[name]);
  for (const name in line) if (!OWN.has(name)) addJsonField(fields, name, line[name]);
  return extrasOf(host, service, fields);
}

/** A line without `log`: the object of a logger such as pino. */
export interface LoggerLine extends JsonEntry {
  readonly extras: LineExtras;
}

/** Reads an object of a logger; undefined where it has no message. */
export function readLoggerLine(line: Members, now: number, fields: FieldSet): LoggerLine | undefined {
  const members = Object.fromEntries(Object.entries(line).filter(([name]) => !OWN.has(name) || LOGGERS.has(name)));
  const entry = readJsonObject(members, now, { fields, isOwn: true });
  return entry && { ...entry, extras: extrasOf(entry.host ?? '', entry.service ?? '', fields) };
}

function extrasOf(host: string, service: string, set: FieldSet): LineExtras {
  // Assigned one by one: spreading costs as much as the rest of a line.
  const extras: LineExtras = {};
  if (host !== '') extras.host = host;
  if (service !== '') extras.service = service;
  const fields = set.take();
  if (fields === undefined) return extras;
  extras.fields = fields;
  const named = { host: cleanName(fields['host.name'] ?? ''), service: cleanName(fields['service.name'] ?? '') };
  for (const key of NAMES) if (extras[key] === undefined && named[key] !== '') extras[key] = named[key];
  return extras;
}

/** Returns the name of a host or service; `''` for none. */
function readName(line: Members, key: (typeof NAMES)[number], fields: FieldSet): string {
  const value = line[key] ?? '';
  if (value === '') return '';
  if (typeof value !== 'string') {
    addJsonField(fields, key, value);
    return '';
  }
  if (value.trim().length > MAX_NAME) fields.lose(key, `The name is cut after ${MAX_NAME} characters`);
  return cleanName(value);
}
