// Issues a token and shows its secret once. It is in the memory of this dialog alone.

import '../../components/form.css';
import { failureOf } from '@quarterdeck/views/failures';
import { type FormEvent, useId, useState } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { text } from '../../text/common.ts';
import { tokensText } from '../../text/tokens.ts';

const words = tokensText;
const DAY_MS = 86_400_000;

/** The form, then the secret. */
export function NewToken({ onClose }: { readonly onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret === null) return <Form onClose={onClose} onSecret={setSecret} />;
  return (
    <Dialog title={words.secretTitle} onClose={onClose}>
      <p>{words.secretNote}</p>
      <p className="secret mono">{secret}</p>
      <div className="buttons">
        <CopyButton value={secret} />
        <button type="button" className="button button-main" onClick={onClose}>
          {words.done}
        </button>
      </div>
    </Dialog>
  );
}

interface FormProps {
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

function Form({ onClose, onSecret }: FormProps) {
  const id = useId();
  const me = useMe();
  const { client, onFailure } = useSession();
  const [isAll, setAll] = useState(true);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const permissions = me?.permissions ?? [];
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const days = Number(form.get('expire'));
    const scopes = permissions.filter((permission) => form.getAll('scope').includes(permission));
    setBusy(true);
    setProblem(null);
    try {
      const { token } = await client.apiToken.create({
        body: {
          name: String(form.get('name')),
          expire: days === 0 ? 0 : Date.now() + days * DAY_MS,
          ...(isAll ? {} : { scopes }),
        },
      });
      onSecret(token);
    } catch (error) {
      onFailure(error);
      setProblem(failureOf(error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog title={words.create} onClose={onClose}>
      <form onSubmit={submit} aria-busy={isBusy}>
        {problem !== null && (
          <p className="form-problem" role="alert">
            {problem}
          </p>
        )}
        <div className="field">
          <label htmlFor={`${id}-name`}>{words.name}</label>
          <input
            id={`${id}-name`}
            name="name"
            required
            maxLength={200}
            autoComplete="off"
            aria-describedby={`${id}-hint`}
          />
          <p id={`${id}-hint`} className="muted">
            {words.nameHint}
          </p>
        </div>
        <div className="field">
          <label htmlFor={`${id}-expire`}>{words.expire}</label>
          <select id={`${id}-expire`} name="expire" defaultValue="90">
            {Object.entries(words.expires).map(([days, name]) => (
              <option key={days} value={days}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <fieldset>
          <legend>{words.scopes}</legend>
          {[true, false].map((value) => (
            <label key={String(value)} className="check">
              <input type="radio" name="all" checked={isAll === value} onChange={() => setAll(value)} />
              {value ? words.allScopes : words.someScopes}
            </label>
          ))}
          {!isAll && (
            <div className="scopes">
              {permissions.map((permission) => (
                <label key={permission} className="check">
                  <input type="checkbox" name="scope" value={permission} />
                  {permission}
                </label>
              ))}
            </div>
          )}
        </fieldset>
        <div className="buttons">
          <button className="button button-main" type="submit" disabled={isBusy}>
            {isBusy ? text.actions.busy : words.issue}
          </button>
          <button className="button" type="button" onClick={onClose}>
            {text.actions.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
