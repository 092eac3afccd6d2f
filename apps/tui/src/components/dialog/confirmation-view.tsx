// Asks the user for the password again, over the dialog that needs it.
import { isApiError } from '@quarterdeck/sdk';
import type { Asking } from '@quarterdeck/views/actions';
import type { Field, FormQuestion, Values } from '@quarterdeck/views/questions';
import { useMutation } from '@quarterdeck/views/react';
import { type ReactElement, useState } from 'react';
import { useDashboard } from '../../context/dashboard.ts';
import type { Area } from '../geometry.ts';
import { FormView } from './form-dialog-view.tsx';

const PASSWORD: Field = { kind: 'text', name: 'password', label: 'Password', masked: true, max: 1024 };
const CODE: Field = { kind: 'text', name: 'otp', label: 'Code', max: 64, hint: 'from your app, or a recovery code' };

interface ConfirmationViewProps extends Area {
  readonly asking: Asking;
}

export function ConfirmationView({ asking, ...area }: ConfirmationViewProps): ReactElement {
  const { client, me, online } = useDashboard();
  const [wantsCode, setWantsCode] = useState(me.second_factor);
  const act = async ({ password = '', otp = '' }: Values): Promise<void> => {
    try {
      await client.user.confirm({ body: { password, otp } });
    } catch (error) {
      // The second factor was turned on elsewhere meanwhile.
      if (isApiError(error) && error.code === 'otp_required') setWantsCode(true);
      throw error;
    }
  };
  const mutation = useMutation(act, () => asking.answer(true));
  const question: FormQuestion = {
    title: 'Confirm your identity',
    submit: 'confirm',
    initial: { password: '', otp: '' },
    fields: () => (wantsCode ? [PASSWORD, CODE] : [PASSWORD]),
    check: ({ password = '', otp = '' }) => {
      if (password === '') return { field: 'password', text: 'Enter your password.' };
      return wantsCode && otp === '' ? { field: 'otp', text: 'Enter the code of your second factor.' } : null;
    },
    preview: () => ['You signed in more than 10 minutes ago. Nothing has changed yet.'],
  };
  return (
    <FormView
      place="confirmation"
      active={online}
      question={question}
      mutation={mutation}
      cancel={() => asking.answer(false)}
      {...area}
    />
  );
}
