// The dialogs of the alerts as data: acknowledge, assign, mute; and the pages of an alert.

import { parseMute } from '@quarterdeck/core/plain';
import type { Alert, Client, Me } from '@quarterdeck/sdk';
import { doEach } from '../actions/each.ts';
import { refusalOf } from '../actions/rights.ts';
import { checkUntil, UNTILS, untilFields, untilOf } from '../questions/mute-form.ts';
import type { Choice, ChooseDialog, FormDialog } from '../questions/question.ts';
import type { QuestionContext } from '../questions/question-context.ts';
import { clean } from '../text/clean.ts';
import { fullTime, plural } from '../text/format.ts';
import { shorten } from '../text/shorten.ts';
import { alertTitle } from './alert-parts.ts';
import { acknowledgeAlert, assignAlert, muteAlert } from './alerts.ts';

/** Longest title in a question, columns; most titles. */
const TITLE = 66;
const TITLES_MAX = 3;
/** Longest note of an acknowledgement, characters. */
const NOTE_MAX = 1_000;
/** Users to choose from. */
const USERS_MAX = 500;
/** Ids of choices that are no user. */
const NOBODY = 'nobody';
/** Value that ends a mute. */
const NOT_MUTED = 'not muted';

const title = (alert: Alert): string => shorten(alertTitle(alert), TITLE);
const several = (alerts: readonly Alert[]): string =>
  alerts.length === 1 ? `alert ${alerts[0]?.id}` : plural(alerts.length, 'alert');
const titles = (alerts: readonly Alert[]): string[] => [
  ...alerts.slice(0, TITLES_MAX).map(title),
  ...(alerts.length > TITLES_MAX ? [`and ${alerts.length - TITLES_MAX} more`] : []),
];

type Context = Pick<QuestionContext, 'client' | 'me' | 'refresh' | 'recordUndo'>;

/** Acknowledges alerts, with a note for those who look later. */
export function acknowledgeDialog(alerts: readonly Alert[], { client, refresh, recordUndo }: Context): FormDialog {
  return {
    kind: 'form',
    title: `Acknowledge ${several(alerts)}`,
    submit: 'acknowledge',
    initial: { note: '' },
    fields: () => [
      { kind: 'text', name: 'note', label: 'Note', max: NOTE_MAX, long: true, hint: 'optional; what you do about it' },
    ],
    preview: () => [
      ...titles(alerts),
      ...alerts
        .slice(0, 1)
        .flatMap(({ acknowledged }) =>
          acknowledged === null
            ? []
            : [
                `${clean(acknowledged.by)} acknowledged it at ${fullTime(acknowledged.time * 1000)}. A note replaces that.`,
              ],
        ),
      'It is not sent again until it ends.',
    ],
    async run({ note = '' }) {
      const words = { done: 'Acknowledged', noun: 'alert', name: title };
      const text = await doEach(alerts, ({ id }) => acknowledgeAlert(client, id, note.trim()), words);
      refresh();
      return recordUndo(text, null);
    },
  };
}

/** Users that an alert can be assigned to, besides the caller; none where the caller may not list users. */
async function otherUsers(client: Client, me: Me): Promise<Choice[]> {
  if (refusalOf({ access: client.user.list.endpoint.access }, me, false) !== null) return [];
  const { data } = await client.user.list({ query: { start: 0, end: USERS_MAX } });
  return data
    .filter(({ id, disabled }) => id !== me.id && disabled !== true)
    .map(({ id, username, role }) => ({ id: String(id), text: clean(username), note: role }));
}

/** Assigns alerts to the caller, to another user, or to nobody. */
export async function assignDialog(
  alerts: readonly Alert[],
  context: Context & { readonly run: (act: () => Promise<string>) => void },
): Promise<ChooseDialog> {
  const { client, me, run, recordUndo } = context;
  const others = await otherUsers(client, me);
  const isFree = alerts.every(({ assigned }) => assigned === null);
  const assign = async (user: number | null, name: string): Promise<string> => {
    const words = { done: user === null ? 'Unassigned' : `Assigned to ${name}:`, noun: 'alert', name: title };
    const text = await doEach(alerts, ({ id }) => assignAlert(client, id, user), words);
    return recordUndo(text, () =>
      Promise.all(alerts.map(({ id, assigned }) => assignAlert(client, id, assigned?.id ?? null))).finally(
        context.refresh,
      ),
    );
  };
  return {
    kind: 'choose',
    title: `Assign ${several(alerts)} to`,
    choices: [
      { id: String(me.id), text: `me (${clean(me.username)})`, note: me.role },
      ...others,
      ...(isFree ? [] : [{ id: NOBODY, text: 'no one: end the assignment' }]),
    ],
    onTake: ({ id, text }) => run(() => assign(id === NOBODY ? null : Number(id), id === String(me.id) ? 'you' : text)),
  };
}

const untilText = (until: string): string => {
  if (until === NOT_MUTED) return 'Messages are sent again.';
  const mute = parseMute(until);
  if (mute?.kind === 'forever') return 'Nothing is sent of it until somebody ends the mute.';
  if (mute?.kind === 'time') return `Nothing is sent of it for ${until}.`;
  return mute === undefined ? '' : `Nothing is sent of it until its errors happen more often than ${until}.`;
};

/** Mutes alerts with their groups of errors, or ends that. */
export function muteDialog(alerts: readonly Alert[], { client, refresh, recordUndo }: Context): FormDialog {
  const isMuted = alerts.some(({ muted_until: until }) => until !== null);
  const groups = alerts.reduce((sum, one) => sum + one.groups.length, 0);
  // An alert without groups has nothing to count.
  const isCounted = alerts.every((one) => one.groups.length > 0);
  const options = [
    ...(isMuted ? [{ value: NOT_MUTED, label: 'end the mute' }] : []),
    ...UNTILS.filter(({ value }) => isCounted || !value.includes('x')),
  ];
  const mute = async (until: string): Promise<string> => {
    const words = { done: until === NOT_MUTED ? 'Ended the mute of' : 'Muted', noun: 'alert', name: title };
    return doEach(alerts, ({ id }) => muteAlert(client, id, until === NOT_MUTED ? 0 : until), words);
  };
  return {
    kind: 'form',
    title: `Mute ${several(alerts)}`,
    submit: 'save it',
    initial: { until: isMuted ? NOT_MUTED : '1d', own: '' },
    fields: (values) => untilFields(values, options),
    check(values) {
      if (untilOf(values) === NOT_MUTED) return null;
      const isTime = isCounted || ['time', 'forever'].includes(parseMute(untilOf(values))?.kind ?? '');
      return isTime ? checkUntil(values) : { field: 'own', text: 'Enter a time: 30m, 1h, 7d.' };
    },
    preview: (values) => [
      ...titles(alerts),
      ...(groups === 0 ? [] : [`This includes ${plural(groups, 'group')} of errors.`]),
      untilText(untilOf(values)),
    ],
    async run(values) {
      const text = await mute(untilOf(values));
      refresh();
      return recordUndo(text, () =>
        Promise.all(
          alerts.map(({ id, muted_until: before }) => muteAlert(client, id, before === null ? 0 : Math.ceil(before))),
        ).finally(refresh),
      );
    },
  };
}
