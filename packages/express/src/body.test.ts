import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { AppError } from '@quarterdeck/core';
import { afterEach, describe, expect, it } from 'vitest';
import { readBytes } from './body.ts';

const LIMIT = 200_000;

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Starts a server that reads bodies; `read` resolves with the outcome of the first one. */
async function startReader() {
  const outcome = Promise.withResolvers<Buffer | string>();
  const server = createServer(async (req, res) => {
    const read = await readBytes(req, LIMIT).catch((error: unknown) =>
      error instanceof AppError ? error.code : String(error),
    );
    outcome.resolve(read);
    res.end(typeof read === 'string' ? read : String(read.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  return { port, read: outcome.promise };
}

/** Sends a body without an announced length, and returns the answer, which may come before all of it was sent. */
async function postChunked(port: number, parts: readonly Buffer[]): Promise<string> {
  const req = request({ port, method: 'POST' });
  stops.push(() => req.destroy());
  const answered = new Promise<IncomingMessage>((resolve, reject) => req.on('response', resolve).on('error', reject));
  for (const part of parts) req.write(part);
  req.end();
  let text = '';
  for await (const chunk of await answered) text += chunk;
  return text;
}

describe('readBytes', () => {
  it('returns a body that arrives in parts, in their order', async () => {
    const { port, read } = await startReader();
    const parts = Array.from({ length: 40 }, (_, i) => Buffer.alloc(5_000, i));
    expect(await postChunked(port, parts)).toBe(String(LIMIT));
    expect(Buffer.concat(parts).equals((await read) as Buffer)).toBe(true);
  });

  it('refuses a body that grows beyond the limit, and leaves the connection for the answer', async () => {
    const { port } = await startReader();
    expect(await postChunked(port, [Buffer.alloc(LIMIT), Buffer.alloc(1)])).toBe('too_large');
  });

  it('refuses the body of a client that leaves before its end', async () => {
    const { port, read } = await startReader();
    const socket = connect(port, '127.0.0.1');
    stops.push(() => socket.destroy());
    socket.write(`POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${LIMIT}\r\n\r\n`);
    socket.write(Buffer.alloc(1_000), () => socket.destroy());
    expect(await read).toBe('bad_request');
  });
});
