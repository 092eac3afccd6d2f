// Addresses of PostgreSQL as libpq understands them, with one host or several. node-postgres takes only one.
import { isIPv6 } from 'node:net';

/** A host of an address: a name, an IP address, or the folder of a Unix socket. */
export interface PostgresHost {
  readonly host: string;
  readonly port: number;
}

/** Time limits of the server's own requests to the database, in milliseconds. */
export interface PostgresLimits {
  /** Of a new connection: the parameter `connect_timeout`, in seconds as for libpq. */
  readonly connectMs: number;
  /** Of a statement, and of all statements of one write: the parameter `query_timeout`, in milliseconds. */
  readonly queryMs: number;
}

/** Address of a database. */
export interface PostgresAddress {
  readonly limits: PostgresLimits;
  /** In the order of the address. Empty where it names at most one host: `url` then says all. */
  readonly hosts: readonly PostgresHost[];
  /** Address for node-postgres: that of one host, with the user, the database and the parameters of all. */
  url(host?: PostgresHost): string;
}

const USUAL_PORT = 5432;
/** Every request is answered within 5 s, even if PostgreSQL has stopped answering. */
const USUAL_LIMITS: PostgresLimits = { connectMs: 2_000, queryMs: 4_500 };
const LIMIT_MAX_MS = 600_000;
/** Parameters that are not for node-postgres, which would also apply `query_timeout` to a backup. */
const OWN_PARAMETERS = ['target_session_attrs', 'connect_timeout', 'query_timeout'];
const PARTS = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/;
const HOST = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d*))?$/;

/**
 * Parses `postgresql://user:password@a:5432,b:5432/database?target_session_attrs=read-write`. The lists may be the
 * parameters `host` and `port` instead.
 *
 * @throws Error with the reason, which repeats nothing secret
 */
export function parsePostgresAddress(text: string): PostgresAddress {
  const [, login, authority = '', path = '/', query = ''] = PARTS.exec(text) ?? refuse('no postgresql:// address');
  // Of a password with a slash, the rest would be taken for the name of the database.
  if (path.includes('@')) refuse('characters that must be percent-encoded');
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get('target_session_attrs') ?? 'read-write';
  if (wanted !== 'read-write' && wanted !== 'primary') {
    refuse('target_session_attrs can only be read-write or primary: the server must write');
  }
  // A parameter of other programs, which PostgreSQL does not know: the tables would be in another schema than named.
  if (parameters.has('schema')) refuse('a parameter schema; use options=-c%20search_path%3DNAME instead');
  const limits = parseLimits(parameters);
  const hosts = parseHosts(authority, parameters);
  const own = OWN_PARAMETERS.filter((name) => parameters.has(name));
  for (const name of own) parameters.delete(name);
  const single = own.length === 0 ? text : `${text.split('?')[0]}${parameters.size > 0 ? `?${parameters}` : ''}`;
  for (const name of ['host', 'port']) parameters.delete(name);
  const url = (one = hosts[0]) => {
    // Parameters replace the host of the address, and take any form of a host.
    const own = new URLSearchParams(parameters);
    own.set('host', one?.host ?? '');
    own.set('port', String(one?.port ?? ''));
    return `postgresql://${login === undefined ? '' : `${login}@`}host${path}?${own}`;
  };
  if (!isUrl(hosts.length > 1 ? url() : single)) refuse('characters that must be percent-encoded');
  return hosts.length > 1 ? { hosts, limits, url } : { hosts: [], limits, url: () => single };
}

function parseLimits(parameters: URLSearchParams): PostgresLimits {
  const limit = (name: string, unitMs: number, usualMs: number): number => {
    const text = parameters.get(name);
    if (text === null) return usualMs;
    const ms = Number(/^\d{1,9}$/.exec(text)?.[0]) * unitMs;
    return ms > 0 && ms <= LIMIT_MAX_MS ? ms : refuse(`a ${name} that is not above 0 and at most 10 minutes`);
  };
  return {
    connectMs: limit('connect_timeout', 1_000, USUAL_LIMITS.connectMs),
    queryMs: limit('query_timeout', 1, USUAL_LIMITS.queryMs),
  };
}

const isUrl = (text: string): boolean => URL.canParse(text) || URL.canParse(text.replace('@/', '@host/'));

function parseHosts(authority: string, parameters: URLSearchParams): PostgresHost[] {
  const named = authority.split(',').map((one) => HOST.exec(one) ?? refuse('a host or port that is malformed'));
  const names =
    parameters.get('host')?.split(',') ?? named.map(([, name = '']) => decode(name.replace(/^\[|\]$/g, '')));
  const ports = parameters.get('port')?.split(',') ?? named.map(([, , port = '']) => port);
  if (ports.length !== 1 && ports.length !== names.length) refuse('not one port for each host');
  return names.map((host, i) => {
    const port = Number((ports[i] ?? ports[0]) || USUAL_PORT);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) refuse('a port that is not from 1 to 65535');
    if (names.length > 1 && !isHost(host)) refuse('a list with a host that is empty or malformed');
    return { host, port };
  });
}

const isHost = (host: string): boolean => isIPv6(host) || /^(\/.+|[^\s:/@]+)$/.test(host);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('characters that must be percent-encoded');
  }
}

function refuse(reason: string): never {
  throw new Error(reason);
}
