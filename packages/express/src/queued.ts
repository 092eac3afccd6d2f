// Answers that wait behind another one on their connection, as those to pipelined requests do.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
