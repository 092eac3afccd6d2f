// The dialogs of the enrolment tokens: a new one, the end. As data; the dialogs ask.
import type { Enrollment, NewEnrollment } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import type { ConfirmDialog, FormDialog, SecretDialog, Values } from '../../components/dialog/dialog.ts';
import { doEach } from '../../data/each.ts';
import { createEnrollment, removeEnrollment } from '../../data/enrollment.ts';
import type { Profile } from '../../profiles/profile.ts';
import { grouped, plural } from '../../text/format.ts';
import { readLabels } from '../agents/agent-labels.ts';
import { expiryText, readExpiry } from '../api-tokens/expiry.ts';
import { enrollmentName, usesText } from './enrollment-view.ts';

const NAME_MAX = 200;
const USES_MAX = 1_000_000;
const LABELS_MAX = 1000;

/** Days, as far as `readExpiry` is concerned: an enrolment is over sooner than a program's token. */
const EXPIRIES = [
  { value: String(1 / 24), label: '1 hour' },
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: 'never', label: 'never' },
  { value: 'date', label: 'date' },
];

/** What the dialogs need. */
export interface EnrollmentActions {
  readonly client: Client;
  readonly profile: Profile;
  readonly now: () => number;
  readonly refresh: () => void;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * What brings a host in. The secret is in the environment, where other users of the host do not see it, and the blank in
 * front keeps the line out of the history of most shells.
 */
export function enrollCommand({ url, consoleUrl }: Pick<Profile, 'url' | 'consoleUrl'>, token: string): string {
  const console =
    consoleUrl === undefined || consoleUrl === url ? '' : ` QUARTERDECK_CONSOLE_URL=${quoted(consoleUrl)}`;
  return ` QUARTERDECK_URL=${quoted(url)}${console} QUARTERDECK_ENROLL_TOKEN=${quoted(token)} quarterdeck-agent enroll`;
}

const secretDialog = (token: NewEnrollment, profile: Profile): SecretDialog => ({
  kind: 'secret',
  title: `Enrolment token ${enrollmentName(token)}`,
  lines: ['It is shown only once. Hosts must reach this server at the address below.'],
  secret: token.token,
  command: enrollCommand(profile, token.token),
});

const expiryOf = (values: Values, nowMs: number) => readExpiry(values['choice'] ?? '', values['date'] ?? '', nowMs);

/** How often it may be used; undefined for what is no such number. */
function readUses(text: string): number | undefined {
  if (text.trim() === '') return 0;
  const uses = Number(text.trim().replaceAll(',', ''));
  return Number.isInteger(uses) && uses > 0 && uses <= USES_MAX ? uses : undefined;
}

/** Makes a token. */
export function createDialog({ client, profile, now, refresh }: EnrollmentActions): FormDialog {
  return {
    kind: 'form',
    title: 'New enrolment token',
    submit: 'create it',
    initial: { name: '', choice: '1', date: '', uses: '', labels: '' },
    fields: ({ choice }) => [
      { kind: 'text', name: 'name', label: 'Name', max: NAME_MAX, hint: 'which hosts it is for' },
      { kind: 'choice', name: 'choice', label: 'Expires', options: EXPIRIES },
      ...(choice === 'date'
        ? [{ kind: 'text' as const, name: 'date', label: 'On', max: 10, hint: 'YYYY-MM-DD, at the end of that day' }]
        : []),
      { kind: 'text', name: 'uses', label: 'Host limit', max: 9, hint: 'no limit' },
      { kind: 'text', name: 'labels', label: 'Labels', max: LABELS_MAX, hint: 'site=north, tier' },
    ],
    check(values) {
      const { name = '', uses = '', labels = '' } = values;
      if (name.trim() === '') return { field: 'name', text: 'Enter a name that says which hosts it is for.' };
      const expiry = expiryOf(values, now());
      if ('problem' in expiry) return { field: 'date', text: expiry.problem };
      if (readUses(uses) === undefined) {
        return { field: 'uses', text: `Enter a number of hosts, at most ${grouped(USES_MAX)}; empty for no limit.` };
      }
      const read = readLabels(labels);
      return 'problem' in read ? { field: 'labels', text: read.problem } : null;
    },
    preview(values) {
      const expiry = expiryOf(values, now());
      const expire = 'problem' in expiry ? undefined : expiry.expire;
      const uses = readUses(values['uses'] ?? '');
      return [
        ...(expire === undefined
          ? []
          : [expire === 0 ? 'It never expires.' : `It expires ${expiryText(expire, now())}.`]),
        ...(uses === undefined
          ? []
          : [uses === 0 ? 'It enrols any number of hosts.' : `It enrols at most ${plural(uses, 'host')}.`]),
      ];
    },
    async run(values) {
      const expiry = expiryOf(values, now());
      const read = readLabels(values['labels'] ?? '');
      const token = await createEnrollment(client, {
        name: (values['name'] ?? '').trim(),
        expire: 'problem' in expiry ? 0 : (expiry.expire ?? 0),
        uses: readUses(values['uses'] ?? '') ?? 0,
        labels: 'problem' in read ? {} : { ...read.labels },
      });
      refresh();
      return secretDialog(token, profile);
    },
  };
}

/** Revokes tokens. */
export function removeDialog(
  tokens: readonly Enrollment[],
  { client, profile, now, refresh }: EnrollmentActions,
): ConfirmDialog {
  const [first] = tokens;
  const one = tokens.length === 1 && first !== undefined;
  return {
    kind: 'confirm',
    title: one ? 'Revoke this enrolment token?' : `Revoke ${plural(tokens.length, 'enrolment token')}?`,
    lines: [
      ...tokens.map((token) => {
        const ends = token.expire === 0 ? 'never expires' : `expires ${expiryText(token.expire, now())}`;
        return `${enrollmentName(token)}, enrolled ${usesText(token)}, ${ends}.`;
      }),
      'No further hosts can enrol. Agents that are enrolled stay. This cannot be undone.',
    ],
    yes: one ? 'Revoke it' : 'Revoke them',
    typed: profile.isProtected ? (one ? enrollmentName(first) : `${tokens.length} tokens`) : undefined,
    async run() {
      const said = await doEach(tokens, ({ id }) => removeEnrollment(client, id), {
        done: 'Revoked',
        noun: 'token',
        name: enrollmentName,
      });
      refresh();
      return said;
    },
  };
}
