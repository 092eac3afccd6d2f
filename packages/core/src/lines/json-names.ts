// Names that loggers give to the parts of an entry in JSON, the preferred first: in lower case, without `_` and `-`,
// and with dots between the names of nested objects.

/** Text of the entry. */
export const MESSAGES = [
  ...['message', 'msg', '@m', '@message', 'renderedmessage', 'log', 'shortmessage', 'record.message'],
  ...['fields.message', 'event', 'textpayload', 'jsonpayload.message', '@mt', 'messagetemplate', 'error', 'text'],
  ...['body', 'body.stringvalue', 'data.message', 'output', 'eventmessage', 'properties.message'],
];
/** Names whose value may be another than text: a number, an object or a list that a program has logged. */
export const ANY_MESSAGES = ['message', 'msg', '@message'];
/** Templates whose holes `{Name}` are members, or members of `Properties`. */
export const TEMPLATES: ReadonlySet<string> = new Set(['@mt', 'messagetemplate']);
export const STACKS = [
  ...['stack', 'stacktrace', 'excinfo', 'exctext', 'exception', '@x', 'fullmessage', 'errorverbose', 'throwable'],
  ...['error.stacktrace', 'error.stack', 'exception.stacktrace', 'exception.stack', 'exceptionstacktrace', 'backtrace'],
];
/** Objects that describe an error. */
export const ERRORS = ['err', 'error', 'exception', 'thrown', 'throwable', 'message'];
export const ERROR_MESSAGES = ['message', 'msg', 'log', 'shortmessage', 'event', 'error', 'errormessage'];
export const ERROR_STACKS = [
  ...['stack', 'stacktrace', 'extendedstacktrace', 'excinfo', 'exception', 'fullmessage', 'backtrace', 'frames'],
  'steparray',
];
export const LEVEL_NAMES = [
  ...['level', 'severity', 'levelname', 'lvl', 'log.level', 'loglevel', '@l', '@level', 'severitytext', 'priority'],
  ...['record.level.name', 'level.name', 'level.levelstr', 'context.loglevel', 'fields.level', 'severitynumber'],
  ...['log.syslog.severity.code', 'syslog.severity.code', 'status', 'errorseverity', 'label'],
];
export const TIMES = [
  ...['time', 'timestamp', '@timestamp', 'ts', 'logtime', 'asctime', '@t', 'datetime', 'datetime.date', 'eventtime'],
  ...['ibmdatetime', 't.$date', 'timemillis', 'instant.epochsecond', 'timestamp.seconds', 'timestampseconds'],
  ...[
    'record.time.timestamp',
    'timeunixnano',
    'realtimetimestamp',
    'starttime',
    'startutc',
    'timeiso8601',
    'date',
    'created',
  ],
];
export const REQUEST_IDS = ['requestid', 'reqid', 'traceid', 'xrequestid', 'http.request.id', 'trace.id', '@tr'];
export const HOSTS = ['host', 'hostname', 'host.name', 'host.hostname', 'machinename'];
export const SERVICES = ['service', 'service.name', 'servicename', 'syslogidentifier'];
/** Parts of an entry of an access log, which has no message. */
export const REQUESTS = ['request', 'requestline'];
export const METHODS = ['method', 'requestmethod', 'http.request.method', 'request.method', 'httpmethod'];
export const PATHS = ['path', 'requestpath', 'uri', 'requesturi', 'url.path', 'request.uri', 'url', 'url.original'];
export const STATUSES = ['status', 'statuscode', 'responsecode', 'downstreamstatus', 'http.response.statuscode'];

const ALL = [
  ...[MESSAGES, STACKS, LEVEL_NAMES, TIMES, REQUEST_IDS, HOSTS, SERVICES, METHODS, PATHS, STATUSES].flat(),
  ...ERRORS.map((error) => `${error}.message`),
];

/** Names of objects in which parts are searched for. */
const CONTAINERS: ReadonlySet<string> = new Set(
  ALL.flatMap((name) => {
    const parts = name.split('.');
    return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('.'));
  }),
);

/** A member of an object. */
export interface Member {
  /** Its name as it came, with dots between the names of nested objects. */
  readonly path: string;
  readonly value: unknown;
}

/** Members by their names in the form of this file. */
export type Index = ReadonlyMap<string, Member>;

/** The same few names come again and again. */
const MAX_KNOWN = 2_000;
const MAX_NAME = 64;
const known = new Map<string, string>();

function plainName(name: string): string {
  const plain = known.get(name);
  if (plain !== undefined) return plain;
  if (name.length > MAX_NAME) return name;
  if (known.size >= MAX_KNOWN) known.clear();
  const made = name.toLowerCase().replaceAll(/[_-]/g, '');
  known.set(name, made);
  return made;
}

export type Members = Readonly<Record<string, unknown>>;

/** Tells whether a value is an object of JSON. */
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Finds the members of an object and of the objects in which parts are searched for. The first of a name wins. */
export function indexOf(members: Members): Index {
  const index = new Map<string, Member>();
  addTo(index, members, '', '');
  return index;
}

function addTo(index: Map<string, Member>, members: Members, prefix: string, pathPrefix: string): void {
  for (const key of Object.keys(members)) {
    const name = prefix + plainName(key);
    const value = members[key];
    const path = pathPrefix + key;
    if (!index.has(name)) index.set(name, { path, value });
    if (isObject(value) && (CONTAINERS.has(name) || ERRORS.includes(name))) addTo(index, value, `${name}.`, `${path}.`);
  }
}
