// Raw bytes over a socket, for requests that no HTTP client would send.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends bytes over one connection and resolves with every answer once the server has closed it. The last request needs
 * `Connection: close`. Reads nothing before everything is sent, as some clients do.
 */
export function sendRaw(port: number, ...parts: readonly (string | Buffer)[]): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    socket.setTimeout(50_000, () => socket.destroy(new Error('the server does not close the connection')));
    socket.once('error', reject);
    socket.on('close', () => resolve(parseAnswers(Buffer.concat(received).toString('latin1'))));
    socket.pause();
    socket.write(Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1'))), () => {
      socket.on('data', (chunk) => received.push(chunk)).resume();
    });
  });
}

/** Answers one after the other; those to HEAD and without `Content-Length` have no body here. */
export function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
    if (end < 0 || status === undefined) throw new Error(`not an answer: ${JSON.stringify(rest)}`);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    answers.push({ status: Number(status), headers, body: Buffer.from(body, 'latin1').toString() });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/** A connection of a client that a test holds open. */
export interface RawConnection extends AsyncDisposable {
  readonly socket: Socket;
  /** Text that has arrived so far. */
  text(): string;
  /** Resolves once the server has closed its side, or all of it. */
  readonly ended: Promise<void>;
}

/**
 * Opens a connection and sends the given bytes, if any.
 *
 * @param options `localAddress` is the client's address; `allowHalfOpen` keeps the client's side open when the server
 * closes its own, as a hostile client does
 */
export async function openRaw(
  port: number,
  bytes = '',
  options: { readonly localAddress?: string; readonly allowHalfOpen?: boolean } = {},
): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', ...options });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  socket.once('end', resolve).once('close', () => resolve());
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes, 'latin1');
  return {
    socket,
    text: () => text,
    ended,
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
}
