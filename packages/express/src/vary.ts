// The header Vary, to which several steps add.
import type { ServerResponse } from 'node:http';

/** Adds the name of a request header on which an answer depends. */
export function addVary(res: ServerResponse, name: string): void {
  const names = res.getHeader('Vary');
  res.setHeader('Vary', names === undefined ? name : `${names}, ${name}`);
}
