// Issues a token and shows its secret once. It is in the memory of this dialog alone.

import { useId, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useMe, useSession } from '../../session/session.tsx';
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
        <Button look="main" onClick={onClose}>
          {words.done}
        </Button>
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
  const { client } = useSession();
  const [isAll, setAll] = useState(true);
  const permissions = me?.permissions ?? [];
  const issue = async ({ name = '' }: Readonly<Record<string, string>>, form: FormData): Promise<'next'> => {
    const days = Number(form.get('expire'));
    const scopes = permissions.filter((permission) => form.getAll('scope').includes(permission));
    const expire = days === 0 ? 0 : Date.now() + days * DAY_MS;
    const { token } = await client.apiToken.create({ body: { name, expire, ...(isAll ? {} : { scopes }) } });
    onSecret(token);
    return 'next';
  };
  return (
    <FormDialog
      title={words.create}
      fields={[{ name: 'name', label: words.name, hint: words.nameHint, maxLength: 200 }]}
      submit={words.issue}
      run={issue}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
