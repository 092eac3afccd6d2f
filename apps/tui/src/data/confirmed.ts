// Actions that the server runs for those only who have confirmed lately that it is them.
import { useCallback, useRef, useState } from 'react';
import { failureOf } from './failure.ts';
import { NotConfirmed } from './not-confirmed.ts';

/** Asks the user to confirm who they are; resolves with whether they did. */
export type Confirm = () => Promise<boolean>;

/**
 * Runs `act`. Where the server wants a recent confirmation, asks for one and runs `act` again.
 *
 * @throws NotConfirmed where the user gave none; what `act` throws otherwise
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

/** The question that is open. */
export interface Asking {
  readonly answer: (confirmed: boolean) => void;
}

/** The state of the question: one at a time, and all who need it meanwhile wait for the same answer. */
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
