// Reads the structured logs of Sentry's SDKs: an item with a list of records.
import { addJsonField, cleanText, type FieldSet, levelOfName, levelOfSeverityNumber } from '@quarterdeck/core/lines';
import { lineOfEntry } from '../http/entry-line.ts';
import { asObject, type Json } from '../http/otlp-value.ts';
import { idOf, type Reading, releaseOf, type SentryLine, secondsOf, textOf } from './reading.ts';

/** Attributes that are parts of the line, or fields under another name. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['sentry.environment', 'environment'],
  ['sentry.release', 'release'],
]);
const HOSTS = ['server.address', 'host.name'];
const SERVICES = ['service', 'service.name'];
/** Attributes that say who a person is or where, beyond an id and a name. */
const ADDRESSES: ReadonlySet<string> = new Set(['user.ip_address', 'client.address', 'user.ip']);
const OMITTED: ReadonlySet<string> = new Set(['user.email', 'server.address', ...SERVICES]);
/** Attributes of the SDK itself do not distinguish errors. */
const OF_SDK = /^sentry\.(?:sdk|timestamp)\./;

/** Reads a record; undefined where it has no text. */
export function readLogRecord(record: Json, reading: Reading, set: FieldSet): SentryLine | undefined {
  const { nowS, project, userIp } = reading;
  const body = textOf(record['body']);
  if (body.trim() === '') return undefined;
  const attributes = attributesOf(record['attributes']);
  const first = (names: readonly string[]) => names.map((name) => textOf(attributes.get(name))).find(Boolean) ?? '';
  const number = record['severity_number'];
  const level =
    levelOfName(textOf(record['level'])) ?? (typeof number === 'number' ? levelOfSeverityNumber(number) : undefined);
  const logTime = secondsOf(record['timestamp'], nowS);
  if (record['timestamp'] !== undefined && logTime === undefined) set.add('stamp', textOf(record['timestamp']));
  const traceId = idOf(record['trace_id']);
  set.add('trace_id', traceId);
  for (const [name, value] of attributes) {
    if (OMITTED.has(name) || OF_SDK.test(name) || (userIp === undefined && ADDRESSES.has(name))) continue;
    addJsonField(set, RENAMED.get(name) ?? name, value);
  }
  const host = first(HOSTS);
  const service = first(SERVICES) || project;
  const entry = { level, log: cleanText(body), logTime, host, service, reqId: traceId };
  const line = lineOfEntry(entry, set.take(), nowS);
  const release = releaseOf(line, first(['sentry.environment']), first(['sentry.release']));
  return { line, fingerprint: undefined, release };
}

/** `{name: {value, type}}`. */
function attributesOf(value: unknown): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, one] of Object.entries(asObject(value) ?? {})) {
    const typed = asObject(one);
    found.set(name, typed !== undefined && 'value' in typed ? typed['value'] : one);
  }
  return found;
}
