// Requests of well-behaved clients, from an address of their own, with the wait of each for its answer.
import { randomInt } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** Address of the honest clients. */
export const HONEST = '127.0.0.2';

export interface Asked {
  readonly url: string;
  readonly path: string;
  /** Bytes, or a value that is sent as JSON. With a body the method is POST. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Connections to reuse; a new one without. */
  readonly agent?: Agent | undefined;
  /** Address of the client; that of the honest ones without. */
  readonly localAddress?: string | undefined;
  /** Milliseconds after which a client gives up. */
  readonly patienceMs: number;
}

export interface Answered {
  /** HTTP status, or the reason why there is none. */
  readonly outcome: number | string;
  readonly ms: number;
  readonly text: string;
  /** Local port of its connection; undefined where there was none. */
  readonly port: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Sent over a connection that had been used before: the server may have closed it at that moment. */
  readonly isReused: boolean;
}

/** Connections that are kept for the next request. */
export const keptConnections = () => new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends a request and reads the whole answer. Never rejects. */
export function ask({ url, path, body, headers = {}, agent, localAddress = HONEST, patienceMs }: Asked) {
  const startedAt = performance.now();
  return new Promise<Answered>((resolve) => {
    let port: number | undefined;
    const done = (outcome: number | string, text = '', answered: IncomingHttpHeaders = {}) => {
      const ms = performance.now() - startedAt;
      resolve({ outcome, ms, text, port, headers: answered, isReused: req.reusedSocket });
    };
    const method = body === undefined ? 'GET' : 'POST';
    const signal = AbortSignal.timeout(patienceMs);
    const req = request(url + path, { method, headers, agent: agent ?? false, localAddress, signal }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => {
        text += chunk;
      });
      res.once('end', () => done(res.statusCode ?? 0, text, res.headers));
      res.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    });
    // A closed socket no longer knows its port.
    req.once('socket', (socket) => {
      const note = () => {
        port = socket.localPort;
      };
      if (socket.connecting) socket.once('connect', note);
      else note();
    });
    req.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    req.end(body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body));
  });
}

/** Sends a request and returns the data of its answer; throws for any answer but a success. */
export async function call<T>(asked: Omit<Asked, 'patienceMs'>): Promise<T> {
  const { outcome, text } = await ask({ ...asked, patienceMs: 60_000 });
  if (outcome !== 200) throw new Error(`${asked.path}: ${outcome} ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

/** Signs in and returns the session token. */
export async function signIn(url: string, username: string, password: string): Promise<string> {
  const body = { username, password };
  return (await call<{ token: string }>({ url, path: '/admin-api/user/login', body })).token;
}

/** The connections that a server allows an address unless it is set; servers of these scripts allow twice as many. */
export const ORDINARY_LIMIT = { QUARTERDECK_MAX_CONNECTIONS_PER_ADDRESS: '1000' };

/** Path of the lines. */
export const ERRLOG = '/admin-api/log_server/errlog';

const LETTERS = 'ghijklmnopqrstuvwxyz';
/** Creates a text that no other group has. */
export const newText = () => Array.from({ length: 20 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
/** Finds such a text. */
export const TEXT = /[ghijklmnopqrstuvwxyz]{20}/;
