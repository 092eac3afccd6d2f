// The dialogs of the enrollment tokens as data: create, revoke.

import type { Enrollment, NewEnrollment } from '@quarterdeck/core';
import { confirmEach, type QuestionContext, type SecretDialog } from '@quarterdeck/views/questions';
import { grouped, plural } from '@quarterdeck/views/text';
import { checkExpiry, endText, expiryFields, expiryOf } from '@quarterdeck/views/tokens';
import type { Dashboard } from '../../context/dashboard.ts';
import type { ConfirmDialog, FormDialog } from '../../context/dialog.ts';
import type { Profile } from '../../profiles/profile.ts';
import { readLabels } from '../shared/agent-labels.ts';
import { enrollmentName, usesText } from './enrollment-view.ts';

const NAME_MAX = 200;
const USES_MAX = 1_000_000;
const LABELS_MAX = 1000;

/** The presets, in days for `readExpiry`. Enrollment tokens live shorter than API tokens. */
const EXPIRIES = [
  { value: String(1 / 24), label: '1 hour' },
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: 'never', label: 'never' },
  { value: 'date', label: 'date' },
];

/** The command of docs/how-to/install-agent.md that starts the agent of an enrolled host. */
export const RUN_COMMAND = 'quarterdeck-agent run';

/** Quotes a word for the shell where it needs quotes. */
const quoted = (text: string): string => (/^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/**
 * The command of docs/how-to/install-agent.md that enrolls a host. The secret is in the environment, which other users
 * of the host cannot read. The leading blank keeps the line out of the history of most shells.
 */
export function enrollCommand({ url, consoleUrl }: Pick<Profile, 'url' | 'consoleUrl'>, token: string): string {
  const console =
    consoleUrl === undefined || consoleUrl === url ? '' : `QUARTERDECK_CONSOLE_URL=${quoted(consoleUrl)} `;
  return ` ${console}QUARTERDECK_ENROLL_TOKEN=${quoted(token)} quarterdeck-agent enroll --server ${quoted(url)}`;
}

const secretDialog = (token: NewEnrollment, profile: Profile): SecretDialog => ({
  kind: 'secret',
  title: `Enrollment token ${enrollmentName(token)}`,
  noun: 'token',
  lines: [
    'It is shown only once. Hosts must reach this server at the address below.',
    `Start the agent afterwards: ${RUN_COMMAND}`,
  ],
  secret: token.token,
  command: enrollCommand(profile, token.token),
});

/** Reads the host limit, 0 for none; undefined for an invalid one. */
function readUses(text: string): number | undefined {
  if (text.trim() === '') return 0;
  const uses = Number(text.trim().replaceAll(',', ''));
  return Number.isInteger(uses) && uses > 0 && uses <= USES_MAX ? uses : undefined;
}

export function createDialog({
  client,
  profile,
  now,
  refresh,
  select,
}: Omit<QuestionContext, 'profile'> & Pick<Dashboard, 'profile'>): FormDialog {
  return {
    kind: 'form',
    title: 'New enrollment token',
    submit: 'create it',
    initial: { name: '', choice: '1', date: '', uses: '', labels: '' },
    fields: (values) => [
      { kind: 'text', name: 'name', label: 'Name', max: NAME_MAX, hint: 'which hosts it is for' },
      ...expiryFields(values, EXPIRIES),
      { kind: 'text', name: 'uses', label: 'Host limit', max: 9, hint: 'no limit' },
      { kind: 'text', name: 'labels', label: 'Labels', max: LABELS_MAX, hint: 'site=north, tier' },
    ],
    check(values) {
      const { name = '', uses = '', labels = '' } = values;
      if (name.trim() === '') return { field: 'name', text: 'Enter a name that says which hosts it is for.' };
      const wrongExpiry = checkExpiry(values, now());
      if (wrongExpiry !== null) return wrongExpiry;
      if (readUses(uses) === undefined) {
        return { field: 'uses', text: `Enter a number of hosts, at most ${grouped(USES_MAX)}; empty for no limit.` };
      }
      const read = readLabels(labels);
      return 'problem' in read ? { field: 'labels', text: read.problem } : null;
    },
    preview(values) {
      const expire = expiryOf(values, now());
      const uses = readUses(values['uses'] ?? '');
      return [
        ...(expire === undefined ? [] : [`It ${endText(expire, now())}.`]),
        ...(uses === undefined
          ? []
          : [uses === 0 ? 'It enrolls any number of hosts.' : `It enrolls at most ${plural(uses, 'host')}.`]),
      ];
    },
    async run(values) {
      const read = readLabels(values['labels'] ?? '');
      const body = {
        name: (values['name'] ?? '').trim(),
        expire: expiryOf(values, now()) ?? 0,
        uses: readUses(values['uses'] ?? '') ?? 0,
        labels: 'problem' in read ? {} : { ...read.labels },
      };
      const token = await client.enrollment.create({ body });
      refresh();
      select(token.id);
      return secretDialog(token, profile);
    },
  };
}

export function removeDialog(tokens: readonly Enrollment[], context: QuestionContext): ConfirmDialog {
  const { client, now } = context;
  const words = { verb: 'Revoke', done: 'Revoked', noun: 'token', kind: 'enrollment token', name: enrollmentName };
  return {
    ...confirmEach(tokens, words, context, ({ id }) => client.enrollment.remove({ params: { id } })),
    lines: [
      ...tokens.map(
        (token) => `${enrollmentName(token)}, enrolled ${usesText(token)}, ${endText(token.expire, now())}.`,
      ),
      'No further hosts can enroll. Agents that are enrolled stay. This cannot be undone.',
    ],
  };
}
