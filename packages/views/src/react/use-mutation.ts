// Runs a change on the server, one at a time. A call while one runs is ignored.

import { useCallback, useRef, useState } from 'react';
import { runConfirmed } from '../actions/confirmed.ts';
import { type Failure, failureOf } from '../failures/failure.ts';
import { useViews } from './views-context.ts';

export interface Mutation<Input> {
  readonly running: boolean;
  readonly failure: Failure | null;
  readonly run: (input: Input) => void;
  readonly reset: () => void;
}

/** Runs `act`, then `onDone` on success. A failure is kept until the next call. */
export function useMutation<Input, Output>(
  act: (input: Input) => Promise<Output>,
  onDone: (output: Output, input: Input) => void,
): Mutation<Input> {
  const { fail, confirm } = useViews();
  const [running, setRunning] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const busy = useRef(false);
  const run = useCallback(
    (input: Input): void => {
      if (busy.current) return;
      busy.current = true;
      setRunning(true);
      setFailure(null);
      runConfirmed(() => act(input), confirm)
        .then((output) => onDone(output, input))
        .catch((error: unknown) => {
          fail(error);
          setFailure(failureOf(error));
        })
        .finally(() => {
          busy.current = false;
          setRunning(false);
        });
    },
    [act, onDone, fail, confirm],
  );
  return { running, failure, run, reset: useCallback(() => setFailure(null), []) };
}
