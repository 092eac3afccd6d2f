// The message at the bottom of the screen.

import type { Message } from '@quarterdeck/views/text';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Dashboard } from '../context/dashboard.ts';
import type { Log } from '../data/log.ts';

/** Time a message is shown, milliseconds. */
const MESSAGE_MS = { good: 5_000, notice: 5_000, warning: 10_000, bad: 15_000 };

/** Age in milliseconds from which a message belongs to the screen that was left. Younger ones are about the way. */
const OLD_MS = 1_000;

/**
 * The present message: the newest of the log for some seconds, also one that was added before the sign-in. It ends with
 * its screen; `visits` numbers the visits of screens.
 */
export function useMessage(
  log: Log<Message>,
  now: () => number,
  visits: number,
): { readonly message: Message | null; readonly say: Dashboard['say'] } {
  const [message, setMessage] = useState<Message | null>(null);
  // An effect of the new screen may have shown one before its visit is seen here.
  const shownMs = useRef(0);
  useEffect(() => {
    if (message === null) return;
    const timer = setTimeout(() => setMessage(null), MESSAGE_MS[message.tone]);
    return () => clearTimeout(timer);
  }, [message]);
  useEffect(() => {
    const show = (): void => {
      const newest = log.takeUnseen();
      if (newest === undefined) return;
      setMessage(newest);
      shownMs.current = now();
    };
    show();
    return log.subscribe(show);
  }, [log, now]);
  const endOld = useEffectEvent(() => {
    if (now() - shownMs.current > OLD_MS) setMessage(null);
  });
  useEffect(() => endOld(), [visits]);
  const say = useCallback((next: Message | null) => (next === null ? setMessage(null) : log.add(next)), [log]);
  return { message, say };
}
