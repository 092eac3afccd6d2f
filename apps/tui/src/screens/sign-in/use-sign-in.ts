// The form of the sign-in and its submission.

import type { Failure } from '@quarterdeck/views/failures';
import type { Field } from '@quarterdeck/views/questions';
import { useEffect, useState } from 'react';
import { type Form, useForm } from '../../components/form/use-form.ts';
import type { SignInInput } from '../../data/session.ts';

const FIELDS: readonly Field[] = [
  { kind: 'text', name: 'username', label: 'Username', max: 255 },
  { kind: 'text', name: 'password', label: 'Password', max: 1024, masked: true },
];

/** Shown where the session can be stored. */
const REMEMBER: Field = { kind: 'check', name: 'remember', label: 'Remember', text: 'stay signed in for 31 days' };

/** Shown once the server asks for it. */
const CODE: Field = { kind: 'text', name: 'otp', label: 'Code', max: 64, hint: 'from your app, or a recovery code' };

/** Signs in; returns the failure, or null. */
export type SignIn = (input: SignInInput) => Promise<Failure | null>;

interface SignInForm {
  readonly form: Form;
  readonly busy: boolean;
  readonly failure: Failure | null;
  readonly submit: () => void;
}

/** The form, with the username of the session before. */
export function useSignIn(username: string, signIn: SignIn, canRemember: boolean): SignInForm {
  const [wantsCode, setWantsCode] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const initial = { username, password: '', remember: '', otp: '' };
  const form = useForm(() => [...FIELDS, ...(canRemember ? [REMEMBER] : []), ...(wantsCode ? [CODE] : [])], initial);
  const { focusOn, set } = form;

  // Once, when the screen opens
  useEffect(() => {
    if (username !== '') focusOn('password');
  }, []);

  const onAnswer = (refusal: Failure | null): void => {
    setBusy(false);
    const isWrong = refusal?.code === 'login_failed' && !wantsCode;
    setFailure(isWrong ? { ...refusal, message: 'Incorrect username or password. Try again.' } : refusal);
    set('otp', '');
    // With a missing code the password was right; it is sent again with the code.
    const isCodeMissing = refusal?.code === 'otp_required';
    setWantsCode(isCodeMissing);
    if (isCodeMissing) focusOn('otp');
    // A wrong password is cleared; one that did not reach the server is kept.
    else if (refusal !== null && refusal.kind !== 'unreachable') {
      set('password', '');
      focusOn('password');
    }
  };
  const submit = (): void => {
    const { username: typed = '', password = '', remember, otp = '' } = form.state.values;
    const name = typed.trim();
    const missing = name === '' ? 'username' : password === '' ? 'password' : wantsCode && otp === '' ? 'otp' : null;
    if (missing !== null) {
      focusOn(missing);
      return;
    }
    setBusy(true);
    setFailure(null);
    void signIn({ username: name, password, remember: remember === 'yes', otp: otp || undefined }).then(onAnswer);
  };
  const onText = (text: string): void => {
    if (failure?.code === 'login_failed') setFailure(null);
    form.onText(text);
  };
  return { form: { ...form, onText }, busy, failure, submit };
}
