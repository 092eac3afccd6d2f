// Short messages about what was done, with the way back.

import { failureOf } from '@quarterdeck/views/failures';
import { createContext, type ReactNode, use, useCallback, useMemo, useRef, useState } from 'react';
import { useSession } from '../session/session.tsx';
import { text } from '../text/common.ts';
import type { Done } from '../words/done.ts';

interface Toast extends Done {
  readonly id: number;
  readonly tone: 'good' | 'bad';
}

interface Toasts {
  readonly say: (done: Done, tone?: Toast['tone']) => void;
  /** Runs a change and reports its result, or its failure. Resolves with true if it was done. */
  readonly act: (change: () => Promise<Done | string | undefined>) => Promise<boolean>;
}

/** Time for which a message without a way back is shown, milliseconds. */
const SHOWN_MS = 6_000;
/** A way back stays longer: it has to be read, found and pressed. */
const UNDO_SHOWN_MS = 20_000;
const SHOWN_MAX = 3;

const ToastContext = createContext<Toasts | null>(null);

export function useToasts(): Toasts {
  const toasts = use(ToastContext);
  if (toasts === null) throw new Error('useToasts outside of a ToastProvider');
  return toasts;
}

/** Shows messages above its children. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const { onFailure } = useSession();
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const lastId = useRef(0);
  const remove = useCallback((id: number) => setShown((all) => all.filter((one) => one.id !== id)), []);

  const say = useCallback<Toasts['say']>(
    (done, tone = 'good') => {
      const id = ++lastId.current;
      setShown((all) => [...all.slice(1 - SHOWN_MAX), { ...done, id, tone }]);
      setTimeout(() => remove(id), done.undo === undefined ? SHOWN_MS : UNDO_SHOWN_MS);
    },
    [remove],
  );
  const act = useCallback<Toasts['act']>(
    async (change) => {
      try {
        const done = await change();
        if (done !== undefined) say(typeof done === 'string' ? { text: done } : done);
        return true;
      } catch (error) {
        onFailure(error);
        say({ text: failureOf(error).message }, 'bad');
        return false;
      }
    },
    [say, onFailure],
  );
  const toasts = useMemo(() => ({ say, act }), [say, act]);

  return (
    <ToastContext value={toasts}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {shown.map(({ id, tone, text: message, undo }) => (
          <div key={id} className={`toast toast-${tone}`}>
            <p>{message}</p>
            {undo !== undefined && (
              <button
                type="button"
                className="toast-undo"
                onClick={() => {
                  remove(id);
                  void act(async () => {
                    await undo();
                    return text.actions.undone;
                  });
                }}
              >
                {text.actions.undo}
              </button>
            )}
            <button type="button" className="icon-button" aria-label={text.actions.dismiss} onClick={() => remove(id)}>
              ✕
            </button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
