// Steps that run for every request before its route. Express spends more on going from one middleware to the next than
// a step takes, so all steps are one middleware.
import type { IncomingMessage, ServerResponse } from 'node:http';

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
