// Reads an event of Sentry as a line.
import { addJsonField, cleanText, type FieldSet, levelOfName } from '@quarterdeck/core/lines';
import { LEVEL_ERROR } from '@quarterdeck/core/plain';
import { lineOfEntry } from '../http/entry-line.ts';
import { asList, asObject, type Json } from '../http/otlp-value.ts';
import { breadcrumbsText } from './breadcrumbs.ts';
import { readExceptions } from './frames.ts';
import { idOf, type Reading, releaseOf, type SentryLine, secondsOf, textOf, withoutQuery } from './reading.ts';
import { traceText } from './trace-text.ts';

/** Characters of a message that are kept in front of a trace. */
const MAX_MESSAGE = 8_192;
const MAX_FINGERPRINT = 32;
const UNNAMED = 'event without a message';
/** Members that become fields of their names. */
const PLAIN = ['environment', 'release', 'dist', 'logger', 'transaction', 'platform'] as const;
/** Contexts with a name and a version. */
const CONTEXTS = ['runtime', 'os', 'browser', 'device', 'app'] as const;
/** Tags with the id of a request, the preferred first. */
const REQUEST_IDS = ['request_id', 'req_id', 'request.id'];
/** An SDK leaves the address of its user to the server. */
const AUTO = '{{auto}}';
const PLACEHOLDER = /%(?:\(\w+\))?[sdifroxXeEgGc]|\{\d*\}/g;
/** The part of a fingerprint that stands for the usual one. */
const DEFAULT = /^\{\{\s*default\s*\}\}$/;

/**
 * Reads an event.
 *
 * - The text is the message, and below it the errors with their calls as a stack trace of their language.
 * - The service is the tag `service`, otherwise the project. The host is `server_name`.
 * - The request id is a tag, otherwise the trace id.
 * - Tags, release, environment, user, the newest breadcrumbs, names and versions of contexts and extra data become
 *   fields. An e-mail address of the user, headers, cookies and bodies of requests do not.
 *
 * @param set takes the fields
 */
export function readEvent(event: Json, reading: Reading, set: FieldSet): SentryLine {
  const { nowS } = reading;
  const tags = tagsOf(event['tags']);
  const chain = readExceptions(event['exception']);
  const platform = textOf(event['platform']);
  const message = messageOf(event).slice(0, MAX_MESSAGE);
  const trace = chain.length === 0 ? '' : traceText(chain, platform);
  const log = trace === '' || message === '' || trace.includes(message) ? trace || message : `${message}\n${trace}`;
  const trio = asObject(asObject(event['contexts'])?.['trace']);
  const logTime = secondsOf(event['timestamp'], nowS);
  if (event['timestamp'] !== undefined && logTime === undefined) set.add('stamp', textOf(event['timestamp']));
  const entry = {
    level: levelOfName(textOf(event['level'])) ?? LEVEL_ERROR,
    log: cleanText(log || textOf(event['transaction']) || textOf(event['culprit']) || UNNAMED),
    logTime,
    host: textOf(event['server_name']) || tags.get('server_name') || '',
    service: tags.get('service') || reading.project,
    reqId: cleanText(
      REQUEST_IDS.map((name) => tags.get(name))
        .find(Boolean)
        ?.slice(0, 128) ?? idOf(trio?.['trace_id']),
    ),
  };
  addFields(event, { tags, reading, trace: trio, type: chain[0]?.type ?? '' }, set);
  const line = lineOfEntry(entry, set.take(), nowS);
  return {
    line,
    fingerprint: fingerprintOf(event['fingerprint']),
    release: releaseOf(line, textOf(event['environment']), textOf(event['release'])),
  };
}

/** Returns the id of an event, without hyphens; `''` for none. */
export const eventIdOf = (event: Json): string => idOf(event['event_id']);

interface Parts {
  readonly tags: ReadonlyMap<string, string>;
  readonly reading: Reading;
  readonly trace: Json | undefined;
  /** Type of the outermost error; `''` for none. */
  readonly type: string;
}

function addFields(event: Json, { tags, reading, trace, type }: Parts, set: FieldSet): void {
  set.add('event_id', eventIdOf(event));
  for (const name of PLAIN) set.add(name, textOf(event[name]));
  set.add('exception.type', type);
  const unhandled = asList(asObject(event['exception'])?.['values']).some(
    (one) => asObject(asObject(one)?.['mechanism'])?.['handled'] === false,
  );
  if (unhandled) set.add('handled', 'false');
  for (const [name, value] of tags) if (name !== 'service') set.add(name, value);
  addUser(asObject(event['user']), reading.userIp, set);
  const request = asObject(event['request']);
  set.add('request.method', textOf(request?.['method']));
  set.add('request.url', withoutQuery(textOf(request?.['url'])));
  set.add('trace_id', idOf(trace?.['trace_id']));
  set.add('span_id', textOf(trace?.['span_id']));
  const contexts = asObject(event['contexts']);
  for (const name of CONTEXTS) set.add(name, versionOf(asObject(contexts?.[name])));
  set.add('sdk', versionOf(asObject(event['sdk'])));
  const chosen = fingerprintOf(event['fingerprint']);
  if (chosen !== undefined) set.add('fingerprint', chosen.join(' '));
  set.add('breadcrumbs', breadcrumbsText(event['breadcrumbs']));
  const extra = asObject(event['extra']) ?? {};
  for (const name in extra) addJsonField(set, name, extra[name]);
}

function addUser(user: Json | undefined, userIp: string | undefined, set: FieldSet): void {
  set.add('user.id', textOf(user?.['id']));
  set.add('user.name', textOf(user?.['username']) || textOf(user?.['name']));
  if (userIp === undefined) return;
  const ip = textOf(user?.['ip_address']);
  set.add('user.ip', ip === AUTO ? userIp : ip);
}

const versionOf = (one: Json | undefined): string =>
  `${textOf(one?.['name']) || textOf(one?.['model'])} ${textOf(one?.['version'])}`.trim();

/** Reads tags: an object, or pairs in a list. The first of a name counts. */
function tagsOf(tags: unknown): Map<string, string> {
  const found = new Map<string, string>();
  const pairs = Array.isArray(tags) ? tags.map(asList) : Object.entries(asObject(tags) ?? {});
  for (const [name, value] of pairs) {
    const text = typeof value === 'boolean' ? String(value) : textOf(value);
    if (typeof name === 'string' && text !== '' && !found.has(name)) found.set(name, text);
  }
  return found;
}

/** The message of an event, with its parameters: SDKs send either a text, or a pattern beside them. */
function messageOf(event: Json): string {
  const entry = asObject(event['logentry']) ?? asObject(event['message']);
  const plain = textOf(event['message']);
  const formatted = textOf(entry?.['formatted']) || plain;
  if (formatted !== '') return formatted;
  const params = asList(entry?.['params']);
  let next = 0;
  return textOf(entry?.['message']).replace(PLACEHOLDER, (mark) => {
    const value = params[next];
    next += 1;
    return value === undefined ? mark : typeof value === 'string' ? value : JSON.stringify(value);
  });
}

/** The fingerprint that a program chose; undefined for none, and where it is the usual one alone. */
function fingerprintOf(value: unknown): readonly string[] | undefined {
  const parts = asList(value)
    .slice(0, MAX_FINGERPRINT)
    .map((part) => textOf(part).slice(0, MAX_MESSAGE));
  if (parts.every((part) => part === '' || DEFAULT.test(part))) return undefined;
  return parts.map((part) => (DEFAULT.test(part) ? '{{ default }}' : part));
}
