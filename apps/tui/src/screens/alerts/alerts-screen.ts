// The screen of the alerts: what fires now, and what has ended.
import { type Access, type Alert, contract } from '@quarterdeck/core';
import type { Me } from '@quarterdeck/sdk';
import { refusalOf } from '@quarterdeck/views/actions';
import { acknowledgeDialog, alertLinks, alertTitle, assignDialog, muteDialog } from '@quarterdeck/views/alerts';
import { useAlertInstance, useAlerts } from '@quarterdeck/views/react';
import { clean, grouped } from '@quarterdeck/views/text';
import type { Target } from '../../commands/navigation.ts';
import { paragraph } from '../../components/list/detail-lines.ts';
import type { List } from '../../components/list/use-list.ts';
import type { Dialog } from '../../context/dialog.ts';
import { pressTo } from '../../keys/key-hints.ts';
import type { Commands } from '../../keys/use-commands.ts';
import type { ListScreenContext } from '../list/list-description.ts';
import { listScreen } from '../list/list-screen.tsx';
import { useOpenLater } from '../shared/use-open-later.ts';
import { alertLines } from './alert-lines.ts';
import { SUBJECT_ACCESS, subjectTarget } from './alert-subject.ts';
import { ALERT_FACETS, alertColumns } from './alerts-view.ts';

/** Chooses one of the pages of an alert, to copy its address. */
function linksDialog(links: readonly { label: string; url: string }[], take: (url: string) => void): Dialog {
  const none = 'This alert has no links: the server does not know its own address, and the rule has no links.';
  if (links.length === 0) return { kind: 'text', title: 'Copy a link', lines: (width) => paragraph(none, width) };
  return {
    kind: 'choose',
    title: 'Copy a link',
    choices: links.map(({ label, url }) => ({ id: url, text: clean(url), lead: label })),
    onTake: ({ id }) => take(id),
  };
}

/** Shows only what fires, or everything again. */
function toggleFiring({ state, act }: List<Alert>): void {
  const isFiringOnly = state.facets['state']?.join() === 'firing';
  act({ type: 'clearFacets' });
  if (!isFiringOnly) act({ type: 'facet', facet: 'state', value: 'firing' });
}

const NO_SUBJECT = 'This alert is about no row of another screen.';

const accessRefusal = (access: Access | undefined, me: Me): string | null =>
  access === undefined ? null : refusalOf({ access }, me, false);

/** The list, and the way to open what needs an answer first. */
const useSource = (active: boolean) => ({ ...useAlerts(active), openLater: useOpenLater() });
type Context = ListScreenContext<ReturnType<typeof useSource>>;

/** The commands that change the chosen alerts. */
function personCommands(chosen: readonly Alert[], context: Context): Partial<Commands<'alerts'>> {
  const { open, me, source } = context;
  const mute = chosen.some(({ groups }) => groups.length > 0)
    ? accessRefusal(contract.errlog.bulk.access, me)
    : accessRefusal(contract.alert.mute.access, me);
  return {
    acknowledge: () => open(acknowledgeDialog(chosen, context)),
    assign: () => source.openLater(assignDialog(chosen, context)),
    mute: mute ?? (() => open(muteDialog(chosen, context))),
  };
}

/** Goes to the suspected change: one from outside has a screen, others are shown with the error. */
function changeTarget({ cause, groups: [group] }: Alert): Target | undefined {
  const id = cause?.change?.change_id ?? 0;
  if (id > 0) return { screen: 'changes', args: { id: String(id) } };
  return cause?.change && group !== undefined ? { screen: 'errlog', args: { id: String(group) } } : undefined;
}

/** Reads the links of an alert, and asks which one to copy. */
function copyLink({ id }: Alert, { client, copy, say, source }: Context): void {
  const take = (url: string): void => {
    copy(url);
    say({ tone: 'good', text: 'Copied the link.' });
  };
  source.openLater(client.alert.instance({ params: { id } }).then((one) => linksDialog(alertLinks(one), take)));
}

export const AlertsScreen = listScreen({
  place: 'alerts',
  useSource,
  useRow: (alert: Alert | undefined, active) => useAlertInstance(alert?.id, active),
  clockMs: 1000,
  columns: alertColumns,
  facets: () => ALERT_FACETS,
  detail: (alert, { nowMs, source: { rows } }, read) => ({
    title: alertTitle(alert),
    lines: (width) => alertLines(alert, { read, all: rows, nowMs }, width),
  }),
  chips({ source: { rows, total } }) {
    const firing = rows.filter(({ state, parent_id: parent }) => state === 'firing' && parent === null).length;
    return [
      ...(firing > 0 ? [{ text: `${grouped(firing)} firing`, tone: 'bad' as const }] : []),
      ...(total > rows.length ? [{ text: `newest ${grouped(rows.length)}`, tone: 'muted' as const }] : []),
    ];
  },
  commands(list, context) {
    const { go, me } = context;
    const { selected, chosen, state, all } = list;
    if (selected === undefined) return { openOnly: all.length === 0 ? undefined : () => toggleFiring(list) };
    const target = subjectTarget(selected);
    const refusal = target === undefined ? NO_SUBJECT : accessRefusal(SUBJECT_ACCESS[target.screen], me);
    const subject = target === undefined || refusal !== null ? (refusal ?? NO_SUBJECT) : () => go(target);
    const change = changeTarget(selected);
    return {
      openOnly: () => toggleFiring(list),
      ...personCommands(chosen, context),
      subject,
      goChange: change === undefined ? 'No change is suspected.' : () => go(change),
      copyLink: () => copyLink(selected, context),
      rule: () => go({ screen: 'alertRules', args: { id: String(selected.rule_id) } }),
      // Enter in the details goes to the subject; `+` fills the screen with the details.
      ...(state.detail === 'closed' || typeof subject === 'string' ? {} : { openSubject: subject, enlarge: undefined }),
    };
  },
  empty: ({ keyOf }) => ({
    reading: 'Reading the alerts…',
    title: 'No alerts.',
    lines: [
      'Alerts appear here as rules find an error, a silent host or another cause.',
      ...pressTo(keyOf('app.goWebhooks'), 'add a channel that messages are sent to, and to test it'),
      ...pressTo(keyOf('app.goAlertRules'), 'add a rule; its form shows what it would have sent today'),
    ],
  }),
});
