// A dialog with fields that runs a change.

import './form.css';
import { failureOf } from '@quarterdeck/views/failures';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useSession } from '../session/session.tsx';
import { text } from '../text/common.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FormProblem } from './form-problem.tsx';

/** A field of a form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'password' | 'area';
  readonly autoComplete?: string;
  readonly hint?: string;
  readonly isOptional?: true;
  readonly maxLength?: number;
  /** Value before it is edited. */
  readonly value?: string;
}

export interface FormDialogProps {
  readonly title: string;
  readonly fields: readonly FormField[];
  readonly submit: string;
  /** Says what will happen. */
  readonly note?: string;
  /** Further controls below the fields. */
  readonly children?: ReactNode;
  /**
   * Runs the change, with the values of the fields and the whole form. The dialog shows the failure, or closes
   * afterwards, unless the result is `next`: another dialog takes its place.
   */
  readonly run: (values: Readonly<Record<string, string>>, form: FormData) => Promise<unknown>;
  readonly onClose: () => void;
}

export function FormDialog({ title, fields, submit, note, children, run, onClose }: FormDialogProps) {
  const id = useId();
  const { onFailure } = useSession();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const onSubmit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setProblem(null);
    try {
      const values = Object.fromEntries(fields.map(({ name }) => [name, String(form.get(name) ?? '')]));
      if ((await run(values, form)) !== 'next') onClose();
    } catch (error) {
      onFailure(error);
      setProblem(failureOf(error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={onSubmit} aria-busy={isBusy}>
        <FormProblem text={problem} />
        {fields.map(
          ({ name, label, type = 'text', autoComplete = 'off', hint, isOptional = false, maxLength, value }) => {
            const control = {
              id: `${id}-${name}`,
              name,
              maxLength,
              defaultValue: value,
              autoComplete,
              required: !isOptional,
              'aria-describedby': hint === undefined ? undefined : `${id}-${name}-hint`,
            };
            return (
              <div key={name} className="field">
                <label htmlFor={control.id}>{label}</label>
                {type === 'area' ? (
                  <textarea rows={3} {...control} />
                ) : (
                  <input type={type} autoCapitalize="none" spellCheck={false} {...control} />
                )}
                {hint !== undefined && (
                  <p id={`${id}-${name}-hint`} className="muted">
                    {hint}
                  </p>
                )}
              </div>
            );
          },
        )}
        {children}
        {note !== undefined && <p>{note}</p>}
        <div className="buttons">
          <Button look="main" type="submit" disabled={isBusy}>
            {isBusy ? text.actions.busy : submit}
          </Button>
          <Button onClick={onClose}>{text.actions.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
