// What is done to every request on its way in. Express spends more on getting from one middleware to the next than any
// of these takes, so together they are one.
import type { Request, RequestHandler, Response } from 'express';

/** Does its part at once, or refuses by throwing. */
export type Step = (req: Request, res: Response) => void;

/** A middleware that takes the steps in their order. */
export function inOrder(...steps: readonly Step[]): RequestHandler {
  return (req, res, next) => {
    for (const step of steps) step(req, res);
    next();
  };
}
