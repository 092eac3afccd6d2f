// The sign-in with a code that a person confirms in a browser.
import type { ShownCode } from '@quarterdeck/sdk';
import type { Failure } from '@quarterdeck/views/failures';
import { useEffect, useRef, useState } from 'react';

/** Signs in with a code; returns the failure, or null. */
export type SignInByCode = (onCode: (shown: ShownCode) => void, signal: AbortSignal) => Promise<Failure | null>;

interface CodeSignIn {
  /** The code, and the address at which it is typed; null before there is one. */
  readonly text: string | null;
  readonly failure: Failure | null;
  /** Begins, or begins again with another code. */
  readonly start: () => void;
}

/** The sign-in, which ends with the screen. */
export function useCode(signIn: SignInByCode): CodeSignIn {
  const [text, setText] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = (): void => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setFailure(null);
    setText('Requesting a code…');
    void signIn(({ address, code }) => setText(`Open ${address} in a browser and type ${code}`), own.signal).then(
      (refusal) => {
        if (own.signal.aborted) return;
        setText(null);
        setFailure(refusal);
      },
    );
  };
  return { text, failure, start };
}
