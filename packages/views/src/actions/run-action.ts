// Changes that need no dialog and report their result.
import { failureOf } from '../failures/failure.ts';
import type { Message } from '../text/tone.ts';
import { type Confirm, runConfirmed } from './confirmed.ts';

interface Reporter {
  readonly say: (message: Message) => void;
  readonly fail: (error: unknown) => void;
}

/** Returns a function that reports the error of a call, for `catch`. */
export const reportFailure =
  ({ say, fail }: Reporter) =>
  (error: unknown): void => {
    fail(error);
    say({ tone: 'bad', text: failureOf(error).message });
  };

/** Runs `act` and shows its message or its failure. */
export const runAndReport = (
  act: () => Promise<string | Message>,
  { confirm, ...reporter }: Reporter & { readonly confirm: Confirm },
): Promise<void> =>
  runConfirmed(act, confirm)
    .then((done) => reporter.say(typeof done === 'string' ? { tone: 'good', text: done } : done))
    .catch(reportFailure(reporter));
