// The screen of the alerts: what fires now, and what has ended.
import type { Alert } from '@quarterdeck/core';
import type { Me } from '@quarterdeck/sdk';
import type { List } from '../../components/list/use-list.ts';
import { useAlerts } from '../../data/alerts.ts';
import { pressTo } from '../../keys/key-hints.ts';
import { refusalOf } from '../../keys/refusal.ts';
import type { Target } from '../../navigation.ts';
import { grouped } from '../../text/format.ts';
import { listScreen } from '../list/list-screen.tsx';
import { CAUSE_ACCESS, causeTarget } from './alert-cause.ts';
import { alertTitle } from './alert-words.ts';
import { ALERT_FACETS, alertColumns, alertLines } from './alerts-view.ts';

/** Shows only what fires, or everything again. */
function toggleFiring({ state, act }: List<Alert>): void {
  const isFiringOnly = state.facets['state']?.join() === 'firing';
  act({ type: 'clearFacets' });
  if (!isFiringOnly) act({ type: 'facet', facet: 'state', value: 'firing' });
}

const NO_CAUSE = 'This alert is about no row of another screen.';

/** Says why the user may not open the screen of a cause; null if they may. */
const causeRefusal = ({ screen }: Target, me: Me): string | null => {
  const access = CAUSE_ACCESS[screen];
  return access === undefined ? null : refusalOf({ keys: [], help: '', access }, me, false);
};

/** The screen. */
export const AlertsScreen = listScreen({
  place: 'alerts',
  useSource: useAlerts,
  clockMs: 1000,
  columns: alertColumns,
  facets: () => ALERT_FACETS,
  detail: (alert, { nowMs, source: { rows } }) => ({
    title: alertTitle(alert),
    lines: (width) => alertLines(alert, rows, nowMs, width),
  }),
  chips({ source: { rows, total } }) {
    const firing = rows.filter(({ state, parent_id: parent }) => state === 'firing' && parent === null).length;
    return [
      ...(firing > 0 ? [{ text: `${grouped(firing)} firing`, tone: 'bad' as const }] : []),
      ...(total > rows.length ? [{ text: `newest ${grouped(rows.length)}`, tone: 'muted' as const }] : []),
    ];
  },
  commands(list, { go, me }) {
    const { selected, state, all } = list;
    const target = selected === undefined ? undefined : causeTarget(selected);
    const refusal = target === undefined ? NO_CAUSE : causeRefusal(target, me);
    const cause = target === undefined || refusal !== null ? (refusal ?? NO_CAUSE) : () => go(target);
    return {
      openOnly: all.length === 0 ? undefined : () => toggleFiring(list),
      ...(selected === undefined
        ? {}
        : {
            cause,
            rule: () => go({ screen: 'alertRules', args: { id: String(selected.rule_id) } }),
            // Enter in the details goes to the cause; `+` fills the screen with the details.
            ...(state.detail === 'closed' || typeof cause === 'string' ? {} : { openCause: cause, enlarge: undefined }),
          }),
    };
  },
  empty: ({ keyOf }) => ({
    reading: 'Reading the alerts…',
    title: 'No alerts.',
    lines: [
      'A rule finds a cause, such as an error or a silent host, and tells its channels.',
      ...pressTo(keyOf('app.goAlertRules'), 'list the rules'),
    ],
  }),
});
