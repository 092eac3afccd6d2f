// The dialogs of the own account as data: password, second factor, sessions.

import type { Session } from '@quarterdeck/sdk';
import type { ConfirmDialog, FormDialog, ScanDialog, SecretDialog } from '../questions/question.ts';
import type { QuestionContext } from '../questions/question-context.ts';
import { clean } from '../text/clean.ts';
import { checkPassword } from './check-password.ts';

/** Changes the own password. */
export function passwordDialog({ client, me, refresh }: QuestionContext): FormDialog {
  return {
    kind: 'form',
    title: 'Change your password',
    submit: 'change it',
    initial: { current: '', password: '', again: '' },
    fields: () => [
      { kind: 'text', name: 'current', label: 'Current', masked: true, max: 1024 },
      { kind: 'text', name: 'password', label: 'New', masked: true, max: 256 },
      { kind: 'text', name: 'again', label: 'Again', masked: true, max: 256 },
    ],
    check: (values) =>
      (values['current'] ?? '') === ''
        ? { field: 'current', text: 'Enter your current password.' }
        : checkPassword(values, me.second_factor),
    preview: () => ['All your other sessions end.'],
    async run({ current = '', password = '' }) {
      await client.user.changePassword({ body: { current_password: current, password } });
      refresh();
      return 'Changed your password. All other sessions have ended.';
    },
  };
}

/** Begins to set up a second factor. */
export function beginDialog(context: QuestionContext): FormDialog {
  const { client } = context;
  return {
    kind: 'form',
    title: 'Set up a second factor',
    submit: 'begin',
    initial: { password: '' },
    fields: () => [{ kind: 'text', name: 'password', label: 'Password', masked: true, max: 1024 }],
    preview: () => ['You need an authenticator app on your phone.'],
    async run({ password = '' }) {
      const { secret, uri } = await client.user.beginSecondFactor({ body: { password } });
      return scanDialog(secret, uri, context);
    },
  };
}

function scanDialog(secret: string, uri: string, context: QuestionContext): ScanDialog {
  return { kind: 'scan', title: 'Set up a second factor', secret, uri, next: () => codeDialog(context) };
}

function codeDialog({ client, renew }: QuestionContext): FormDialog {
  return {
    kind: 'form',
    title: 'Confirm with the first code',
    submit: 'turn it on',
    initial: { otp: '' },
    fields: () => [{ kind: 'text', name: 'otp', label: 'Code', max: 10, hint: 'six digits, from the app' }],
    async run({ otp = '' }) {
      const { recovery_codes: codes } = await client.user.confirmSecondFactor({ body: { otp } });
      await renew().catch(() => undefined);
      return recoveryDialog(codes);
    },
  };
}

function recoveryDialog(codes: readonly string[]): SecretDialog {
  return {
    kind: 'secret',
    title: 'Your recovery codes',
    noun: 'codes',
    lines: ['The second factor is on. Each code signs you in once, without your phone.', 'They are shown only once.'],
    secret: codes.join('\n'),
  };
}

/** Turns the second factor off. */
export function turnOffDialog({ client, renew }: QuestionContext): FormDialog {
  return {
    kind: 'form',
    title: 'Turn off the second factor',
    submit: 'turn it off',
    initial: { password: '', otp: '' },
    fields: () => [
      { kind: 'text', name: 'password', label: 'Password', masked: true, max: 1024 },
      { kind: 'text', name: 'otp', label: 'Code', max: 64, hint: 'from your app, or a recovery code' },
    ],
    preview: () => ['Your password alone is then enough to sign in.'],
    async run({ password = '', otp = '' }) {
      await client.user.removeSecondFactor({ body: { password, otp } });
      await renew().catch(() => undefined);
      return 'The second factor is off.';
    },
  };
}

const sessionName = ({ client, address }: Session): string => clean(`${client || 'unknown program'} from ${address}`);

export function endDialog(session: Session, { client, profile, refresh }: QuestionContext): ConfirmDialog {
  return {
    kind: 'confirm',
    title: 'End this session?',
    lines: [`${sessionName(session)}.`, 'Its user must sign in again.'],
    warning: session.current ? 'This is the session of this dashboard: you will be signed out.' : undefined,
    yes: 'End it',
    typed: profile.isProtected ? String(session.id) : undefined,
    async run() {
      await client.user.removeSession({ params: { id: session.id } });
      refresh();
      return 'Ended the session.';
    },
  };
}

/** Ends all sessions but this one. */
export function endOthersDialog(
  others: readonly Session[],
  { client, profile, refresh }: QuestionContext,
): ConfirmDialog {
  return {
    kind: 'confirm',
    title: 'End all your other sessions?',
    lines: others.map((session) => `${sessionName(session)}.`),
    yes: 'End them',
    typed: profile.isProtected ? 'others' : undefined,
    async run() {
      await client.user.removeOtherSessions();
      refresh();
      return 'Ended all other sessions.';
    },
  };
}
