// Reads what a line over HTTP has beside its message: host, service and fields.
import { addJsonField, cleanName, type FieldSet, type LineFields, MAX_NAME } from '@quarterdeck/core/lines';

/** A line as an object of JSON. */
export type Members = Readonly<Record<string, unknown>>;

/** What a line has beside its message. An absent value is one that the line does not have. */
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
  const found = fields.take();
  return {
    ...named('host', host || cleanName(found?.['host.name'] ?? '')),
    ...named('service', service || cleanName(found?.['service.name'] ?? '')),
    ...(found === undefined ? {} : { fields: found }),
  };
}

const named = (key: (typeof NAMES)[number], name: string) => (name === '' ? {} : { [key]: name });

/** Returns the name of a host or service; `''` for none. */
function readName(line: Members, key: (typeof NAMES)[number], fields: FieldSet): string {
  const value = line[key];
  if (typeof value !== 'string') {
    addJsonField(fields, key, value);
    return '';
  }
  if (value.trim().length > MAX_NAME) fields.lose(key, `The name is cut after ${MAX_NAME} characters`);
  return cleanName(value);
}
