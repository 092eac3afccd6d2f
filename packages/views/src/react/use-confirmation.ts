import { useCallback, useRef, useState } from 'react';
import type { Asking, Confirm } from '../actions/confirmed.ts';

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
