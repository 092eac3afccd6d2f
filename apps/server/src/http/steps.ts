// What is done to every request on its way in. Express spends more on getting from one middleware to the next than any
// of these takes, so together they are one.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that has its id and the caller's address. Express' requests are such, and those that are answered without Express. */
export type Incoming = IncomingMessage & { id: string; address: string };

/** Does its part at once, or refuses by throwing. */
export type Step = (req: Incoming, res: ServerResponse) => void;

/** The path that a request asks for, without its query. */
export const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

/** One step that takes several in their order. */
export function inOrder(...steps: readonly Step[]): Step {
  return (req, res) => {
    for (const step of steps) step(req, res);
  };
}
