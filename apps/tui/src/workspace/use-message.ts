// The message at the bottom of the screen.

import type { Message } from '@quarterdeck/views/text';
import { useCallback, useEffect, useState } from 'react';
import type { Dashboard } from '../data/dashboard.ts';
import type { Log } from '../data/log.ts';

/** Time a message is shown, milliseconds. */
const MESSAGE_MS = { good: 5_000, notice: 5_000, warning: 10_000, bad: 15_000 };

/** The present message: the newest of the log for some seconds, also one that was added before the sign-in. */
export function useMessage(log: Log<Message>): { readonly message: Message | null; readonly say: Dashboard['say'] } {
  const [message, setMessage] = useState<Message | null>(null);
  useEffect(() => {
    if (message === null) return;
    const timer = setTimeout(() => setMessage(null), MESSAGE_MS[message.tone]);
    return () => clearTimeout(timer);
  }, [message]);
  useEffect(() => {
    const show = (): void => {
      const newest = log.takeUnseen();
      if (newest !== undefined) setMessage(newest);
    };
    show();
    return log.subscribe(show);
  }, [log]);
  const say = useCallback((next: Message | null) => (next === null ? setMessage(null) : log.add(next)), [log]);
  return { message, say };
}
