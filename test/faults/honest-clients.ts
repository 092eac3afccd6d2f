// Requests of well-behaved clients, from an address of their own, with the wait of each for its answer.
import { Agent, request } from 'node:http';

/** Address of the honest clients. */
export const HONEST = '127.0.0.2';

/** A request. */
export interface Asked {
  readonly url: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Connections to reuse; a new one without. */
  readonly agent?: Agent | undefined;
  /** Milliseconds after which a client gives up. */
  readonly patienceMs: number;
}

/** Outcome of a request. */
export interface Answered {
  /** HTTP status, or the reason why there is none. */
  readonly outcome: number | string;
  readonly ms: number;
  readonly text: string;
  /** The header `Retry-After`. */
  readonly retryAfter?: string | undefined;
}

/** Connections that are kept for the next request. */
export const keptConnections = () => new Agent({ keepAlive: true, maxSockets: 1, localAddress: HONEST });

/** Sends a request and reads the whole answer. Never rejects. */
export function ask({ url, path, body, headers, agent, patienceMs }: Asked): Promise<Answered> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const done = (outcome: number | string, text = '', retryAfter?: string) =>
      resolve({ outcome, ms: performance.now() - startedAt, text, retryAfter });
    const method = body === undefined ? 'GET' : 'POST';
    const signal = AbortSignal.timeout(patienceMs);
    const req = request(
      url + path,
      { method, headers: headers ?? {}, agent: agent ?? false, localAddress: HONEST, signal },
      (res) => {
        let text = '';
        res.setEncoding('utf8');
        res.on('data', (chunk: string) => {
          text += chunk;
        });
        res.once('end', () => done(res.statusCode ?? 0, text, res.headers['retry-after']));
        res.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
      },
    );
    req.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    req.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Signs in and returns the session token. */
export async function signIn(url: string, username: string, password: string): Promise<string> {
  const body = { username, password };
  const { outcome, text } = await ask({ url, path: '/admin-api/user/login', body, patienceMs: 15_000 });
  if (outcome !== 200) throw new Error(`cannot sign in: ${outcome} ${text}`);
  return (JSON.parse(text) as { data: { token: string } }).data.token;
}
