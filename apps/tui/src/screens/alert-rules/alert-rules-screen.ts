// The screen of the rules of alerts.

import { ruleName } from '@quarterdeck/views/alerts';
import { useAlertRules } from '@quarterdeck/views/react';
import { factDetail } from '../../components/list/detail-lines.ts';
import { pressTo } from '../../keys/key-hints.ts';
import { listScreen } from '../list/list-screen.tsx';
import {
  createDialog,
  editDialog,
  explanationDialog,
  removeDialog,
  testDialog,
  toggleDialog,
} from './alert-rule-dialogs.ts';
import { RULE_FACETS, ruleColumns, ruleFacts } from './alert-rules-view.ts';

export const AlertRulesScreen = listScreen({
  place: 'alertRules',
  useSource: useAlertRules,
  clockMs: 30_000,
  columns: ruleColumns,
  facets: () => RULE_FACETS,
  detail: (rule, { nowMs }) => factDetail(ruleName(rule), ruleFacts(rule, nowMs)),
  commands({ selected, chosen }, base) {
    const { open, go, source } = base;
    const context = { ...base, channels: source.channels };
    const create = () => open(createDialog(context));
    if (selected === undefined) return { create };
    return {
      create,
      edit: () => open(editDialog(selected, context)),
      test: selected.channels.length === 0 ? 'This rule has no channel.' : () => open(testDialog(selected, context)),
      explain: () => void explanationDialog(selected, base).then(open, base.fail),
      // The state of the first one decides for all of them.
      toggle: () => open(toggleDialog(chosen, chosen[0]?.enabled === false, context)),
      remove: () => open(removeDialog(chosen, context)),
      alerts: () => go({ screen: 'alerts', args: { rule: selected.name } }),
    };
  },
  empty: ({ keyOf }) => ({
    reading: 'Reading the rules…',
    title: 'No rules: no alerts are sent.',
    lines: [
      'A rule sends messages to its channels, such as about a new error or a silent host.',
      ...pressTo(keyOf('alertRules.create'), 'create one'),
    ],
  }),
});
