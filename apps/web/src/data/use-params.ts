import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/** Changes parameters of the address; undefined and '' remove one. */
export type ChangeParams = (change: Readonly<Record<string, string | undefined>>) => void;

/** Returns the parameters of the address, and a function that changes them as a new place of the history. */
export function useParams(): readonly [params: URLSearchParams, change: ChangeParams] {
  const [params, setParams] = useSearchParams();
  const change = useCallback<ChangeParams>(
    (changes) =>
      setParams((before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) {
          if (value === undefined || value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      }),
    [setParams],
  );
  return [params, change];
}
