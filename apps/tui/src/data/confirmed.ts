// Actions for which the server needs a recent confirmation of the password.

import { failureOf, NotConfirmed } from '@quarterdeck/views/failures';
import { useCallback, useRef, useState } from 'react';

/** Asks the user to confirm. Resolves with whether they did. */
export type Confirm = () => Promise<boolean>;

/**
 * Runs `act`. If the server needs a confirmation, asks for it and runs `act` again.
 * @throws NotConfirmed if the user cancelled; otherwise the error of `act`.
 */
export async function runConfirmed<T>(act: () => Promise<T>, confirm: Confirm): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (failureOf(error).code !== 'reauthentication_required') throw error;
  }
  if (!(await confirm())) throw new NotConfirmed();
  return act();
}

/** The open question. */
export interface Asking {
  readonly answer: (confirmed: boolean) => void;
}

/** Holds the state of the question. Concurrent actions share one question. */
export function useConfirmation(): { readonly asking: Asking | null; readonly confirm: Confirm } {
  const [asking, setAsking] = useState<Asking | null>(null);
  const pending = useRef<Promise<boolean> | null>(null);
  const confirm = useCallback((): Promise<boolean> => {
    pending.current ??= new Promise<boolean>((resolve) => {
      const answer = (isConfirmed: boolean): void => {
        pending.current = null;
        setAsking(null);
        resolve(isConfirmed);
      };
      setAsking({ answer });
    });
    return pending.current;
  }, []);
  return { asking, confirm };
}
