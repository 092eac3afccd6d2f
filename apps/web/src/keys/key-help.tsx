import { useRef } from 'react';
import { text } from '../text.ts';
import { KEY_TABLE, useKeys } from './use-keys.ts';

/** The dialog that lists the keys; `?` opens it. */
export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys({ help: () => dialog.current?.showModal() });
  return (
    <dialog ref={dialog} aria-labelledby="key-help" closedby="any">
      <h2 id="key-help">{text.keys.title}</h2>
      <dl className="facts">
        {Object.values(KEY_TABLE).map(({ keys, help }) => (
          <div key={help}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{help}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button className="button" type="submit">
          {text.actions.close}
        </button>
      </form>
    </dialog>
  );
}
