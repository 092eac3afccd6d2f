// Requests to this server's own application without a network: the same checks as for any caller.
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** Caller of a request, as the application sees it. */
export interface InProcessCaller {
  readonly address: string;
  /** Headers of each request, such as the credential. They win over those of the request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A request, as `fetch` takes it. */
interface InProcessRequest {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/** Sends a request to the application and resolves with its whole answer. */
export type InProcessSend = (url: string, request: InProcessRequest) => Promise<Response>;

/** Creates the senders of callers for an application. */
export function inProcess(app: RequestListener): (caller: InProcessCaller) => InProcessSend {
  // It never listens: connections are handed to it.
  const server = createServer(app);
  return ({ address, headers }) =>
    async (url, request) => {
      const [near, far] = duplexPair();
      // Aborting a request closes only its own side.
      near.once('close', () => far.destroy());
      server.emit('connection', Object.assign(far, { remoteAddress: address }));
      const { method = 'GET', body, signal } = request;
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = httpRequest(url, {
          method,
          headers: { ...request.headers, ...headers },
          createConnection: () => near,
          ...(signal && { signal }),
        });
        sent.once('response', resolve).once('error', reject);
        sent.end(typeof body === 'string' ? body : undefined);
      });
      const bytes = await buffer(answer);
      const { statusCode: status = 0 } = answer;
      return new Response(bytes.length === 0 ? null : bytes, { status, headers: headersOf(answer) });
    };
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  );
}
