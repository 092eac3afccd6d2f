// Columns, facets and details of the rules of alerts. Pure.

import { alertKind } from '@quarterdeck/core';
import { conditionText, type RuleRow, ruleName } from '@quarterdeck/views/alerts';
import { clean, exactSpan, fullTime, grouped } from '@quarterdeck/views/text';
import type { Column } from '../../components/list/column.ts';
import type { Facts } from '../../components/list/detail-lines.ts';
import type { Facet } from '../../components/list/list-filter.ts';
import { countColumn, enabledCell, lastColumn, textColumn, widest, wordColumn } from '../list/columns.ts';
import { timeAgo } from '../list/moments.ts';

const NO_CHANNELS = 'none';

const channelsText = ({ channelNames }: RuleRow): string => clean(channelNames.join(', '));

function onCell({ enabled, stopped }: RuleRow) {
  if (stopped !== null) return { text: '✖ stopped', tone: 'bad' as const };
  return enabled ? { text: '● on', tone: 'good' as const } : { text: '○ off', tone: 'muted' as const };
}

const stateOf = (rule: RuleRow): string => onCell(rule).text.slice(2);

export function ruleColumns(rules: readonly RuleRow[], nowMs: number): Column<RuleRow>[] {
  return [
    {
      id: 'state',
      title: 'On',
      width: widest(rules, (rule) => onCell(rule).text, 5, 9),
      pinned: true,
      cell: onCell,
      text: stateOf,
    },
    textColumn('name', 'Name', rules, ruleName, {
      widths: [8, 14, 40],
      grow: 2,
      pinned: true,
      searched: true,
      tone: 'strong',
    }),
    textColumn('condition', 'Condition', rules, conditionText, {
      widths: [12, 25, 120],
      width: 25,
      grow: 4,
      searched: true,
    }),
    textColumn('channels', 'Channels', rules, channelsText, {
      widths: [8, 10, 40],
      grow: 1,
      drop: 1,
      searched: true,
      cell: (rule) =>
        rule.channels.length === 0
          ? { text: NO_CHANNELS, tone: 'warning' }
          : { text: channelsText(rule), tone: 'muted' },
    }),
    countColumn('firing', 'Firing', 6, ({ firing }) => firing, { tone: 'bad' }),
    lastColumn('last', 'Last', ({ last_fired: last }) => last, nowMs, { width: 8 }),
    wordColumn('kind', 'Kind', rules, ({ when }) => when.kind, { least: 4, most: 16, drop: 2 }),
  ];
}

export const RULE_FACETS: readonly Facet<RuleRow>[] = [
  { id: 'kind', title: 'Kind', value: ({ when }) => when.kind },
  {
    id: 'state',
    title: 'State',
    value: (rule) => (rule.enabled ? (rule.stopped === null ? 'enabled' : 'stopped') : 'disabled'),
  },
];

export function ruleFacts(rule: RuleRow, nowMs: number): Facts {
  const { when, filter, created, created_by: by, modified, last_fired: last, cooldown, repeat } = rule;
  const { text, tone } = rule.stopped === null ? enabledCell(rule) : onCell(rule);
  return [
    { label: 'State', value: text, tone },
    rule.stopped === null
      ? null
      : { label: 'Why', value: `${clean(rule.stopped.why)} Save it to become its author.`, tone: 'bad' },
    { label: 'Name', value: ruleName(rule), tone: 'strong' },
    { label: 'Condition', value: conditionText({ ...rule, for: 0, filter: '' }) },
    { label: '', value: `${when.kind}: ${alertKind(when.kind).help}`, tone: 'muted' },
    { label: 'Only', value: clean(filter) || 'everything' },
    { label: 'Must last', value: rule.for === 0 ? 'no time; sent at once' : exactSpan(rule.for) },
    { label: 'Cooldown', value: cooldown === 0 ? 'none' : `${exactSpan(cooldown)} between two messages of a cause` },
    { label: 'Repeat', value: repeat === 0 ? 'never' : `every ${exactSpan(repeat)} until it is acknowledged` },
    { label: 'Channels', value: rule.channels.length === 0 ? 'none: it sends nothing' : channelsText(rule) },
    rule.runbook === '' ? null : { label: 'Runbook', value: clean(rule.runbook), tone: 'notice' },
    rule.issue === '' ? null : { label: 'New issue', value: clean(rule.issue), tone: 'notice' },
    { label: 'Firing', value: grouped(rule.firing), tone: rule.firing > 0 ? 'bad' : undefined },
    { label: 'Last fired', value: last === null ? 'never' : timeAgo(last, nowMs) },
    { label: 'Created', value: `${fullTime(created * 1000)} by ${clean(by)}` },
    { label: 'Changed', value: fullTime(modified * 1000) },
    { label: 'Id', value: String(rule.id) },
  ];
}
