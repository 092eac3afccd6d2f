// Waits for slow readers.
import type { ServerResponse } from 'node:http';

/** Waits until the client has room for more. Returns false once the answer has ended. */
export async function takesMore(res: ServerResponse): Promise<boolean> {
  if (res.writableNeedDrain && !res.destroyed) {
    await new Promise<void>((resolve) => {
      const done = () => {
        res.off('drain', done);
        res.off('close', done);
        resolve();
      };
      res.on('drain', done);
      res.on('close', done);
    });
  }
  return !res.writableEnded && !res.destroyed;
}
