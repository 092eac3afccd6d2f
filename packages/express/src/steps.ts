// Steps that run for every request before its route. Express spends more on going from one middleware to the next than
// a step takes, so all steps are one middleware.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request with its id and the caller's address. */
export type Incoming = IncomingMessage & { id: string; address: string };

/** Runs synchronously; throws to refuse the request. */
export type Step = (req: Incoming, res: ServerResponse) => void;

/** The path of a request, without its query. */
export const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

/** One step that runs several in order. */
export function inOrder(...steps: readonly Step[]): Step {
  return (req, res) => {
    for (const step of steps) step(req, res);
  };
}

const HARMLESS = /^[A-Za-z0-9._-]{8,64}$/;

/** Gives each request its id: its own if it is harmless, so that ids survive a proxy. */
export const requestId: Step = (req, res) => {
  const given = req.headers['x-request-id'];
  req.id = typeof given === 'string' && HARMLESS.test(given) ? given : randomUUID();
  res.setHeader('X-Request-Id', req.id);
};

const queues = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Makes an answer emit `close` when its connection closes before its turn. Node emits it only for the answer whose turn
 * it is, so that whatever the others hold would be held for ever.
 */
export function closeWithConnection(res: ServerResponse): void {
  if (res.socket !== null) return;
  const { socket } = res.req;
  const queue = queues.get(socket) ?? new Set();
  if (!queues.has(socket)) {
    queues.set(socket, queue);
    socket.once('close', () => {
      for (const queued of queue) queued.emit('close');
    });
  }
  queue.add(res);
  res.once('socket', () => queue.delete(res));
}

/** Adds the name of a request header on which an answer depends. */
export function addVary(res: ServerResponse, name: string): void {
  const names = res.getHeader('Vary');
  res.setHeader('Vary', names === undefined ? name : `${names}, ${name}`);
}
