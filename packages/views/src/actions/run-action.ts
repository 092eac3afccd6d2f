// Changes that need no dialog and report their result.
import { failureOf } from '../failures/failure.ts';
import type { Message } from '../text/tone.ts';
import { type Confirm, runConfirmed } from './confirmed.ts';

/** Runs `act` and shows its message or its failure. */
export const runAndReport = (
  act: () => Promise<string | Message>,
  {
    say,
    fail,
    confirm,
  }: {
    readonly say: (message: Message) => void;
    readonly fail: (error: unknown) => void;
    readonly confirm: Confirm;
  },
): Promise<void> =>
  runConfirmed(act, confirm)
    .then((done) => say(typeof done === 'string' ? { tone: 'good', text: done } : done))
    .catch((error: unknown) => {
      fail(error);
      say({ tone: 'bad', text: failureOf(error).message });
    });
