// Actions for which the server needs a recent confirmation of the password.
import { failureOf } from '../failures/failure.ts';
import { NotConfirmed } from '../failures/not-confirmed.ts';

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
