// What is done to every request on its way in. The router spends more on getting from one handler to the next than any
// of these takes, so together they are one.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ParsedUrlQuery, parse } from 'node:querystring';

/** A request that has its id. The requests of routes are such, and those that are answered without the router. */
export type Incoming = IncomingMessage & { id: string };

/** Does its part at once, or refuses by throwing. */
export type Step = (req: Incoming, res: ServerResponse) => void;

/** The path that a request asks for, without its query. */
export const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

/** The query of a request: a name that comes more than once has a list of values. */
export const queryOf = ({ url = '' }: IncomingMessage): ParsedUrlQuery => parse(/\?([^#]*)/.exec(url)?.[1] ?? '');

/** One step that takes several in their order. */
export function inOrder(...steps: readonly Step[]): Step {
  return (req, res) => {
    for (const step of steps) step(req, res);
  };
}
