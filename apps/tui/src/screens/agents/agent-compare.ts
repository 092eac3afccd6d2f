// Two agents side by side, or one agent now against then: facts that differ first. Pure.
import type { Agent } from '@quarterdeck/sdk';
import { isKnown, reasonWord, stateOf, stateWord } from '@quarterdeck/views/agents';
import { clean, signed } from '@quarterdeck/views/text';
import { heading, paragraph } from '../../components/list/detail-lines.ts';
import type { TextDialog } from '../../context/dialog.ts';
import { fit, width as widthOf, wrap } from '../../text/width.ts';
import type { Line } from '../../theme/lines.ts';
import { type AgentFact, settingsFacts, summaryFacts, systemFacts } from './agent-facts.ts';

/** One side of a comparison. */
export interface Side {
  readonly name: string;
  readonly agent: Agent;
}

/** A fact of both sides. */
interface ComparedFact {
  readonly label: string;
  readonly values: readonly [string, string];
  /** True if the value of a side is not known of its time. */
  readonly isUnknown: boolean;
}

/** Facts that tell the sides apart in every comparison, or change with every report. */
const NEVER_COMPARED = [
  'Last reported',
  'Progress',
  'Log shipping',
  'Node',
  'Id',
  'Changed',
  'Labels',
  'State',
  'Warning',
];

/** Facts that differ between most agents, behind those that can explain something. */
const COMPARED_LAST = ['IP', 'Host booted', 'Agent started', 'Registered'];
/** Remark that both sides would repeat. */
const BY_THE_HOST = ', by the clock of the host';

/** Facts of an agent by label, without those that always differ. */
function factsOf(agent: Agent, nowMs: number): Map<string, AgentFact> {
  const all = [...systemFacts(agent, nowMs), ...settingsFacts(agent, nowMs), ...summaryFacts(agent, nowMs)];
  const state = [signed(stateWord(stateOf(agent))).text, reasonWord(agent)].filter((text) => text !== '').join(', ');
  const compared = all
    .filter(({ label }) => !NEVER_COMPARED.includes(label))
    .map((fact): [string, AgentFact] => [fact.label, { ...fact, value: fact.value.replace(BY_THE_HOST, '') }]);
  return new Map([
    ['State', { label: 'State', field: 'state', value: state }],
    ...compared,
    ...Object.entries(agent.labels ?? {}).map(([name, value]): [string, AgentFact] => {
      const label = `Label ${clean(name)}`;
      return [label, { label, field: 'labels', value: value === '' ? 'set' : clean(value) }];
    }),
  ]);
}

/** Compares the facts of two agents, in the order of the details but for those that mostly differ. */
function compareAgents(left: Agent, right: Agent, nowMs: number): ComparedFact[] {
  const sides = [factsOf(left, nowMs), factsOf(right, nowMs)] as const;
  const labels = [...new Set(sides.flatMap((facts) => [...facts.keys()]))];
  labels.sort((a, b) => COMPARED_LAST.indexOf(a) - COMPARED_LAST.indexOf(b));
  return labels.map((label): ComparedFact => {
    const [one, other] = [sides[0].get(label), sides[1].get(label)];
    const field = one?.field ?? other?.field ?? '';
    return {
      label,
      values: [one?.value ?? '', other?.value ?? ''],
      isUnknown: !isKnown(left, field) || !isKnown(right, field),
    };
  });
}

const differs = ({ values: [one, other] }: ComparedFact): boolean => one !== other;
const shown = (value: string): string => (value === '' ? '–' : value);

/** Width from which both values stand beside each other, columns. */
const WIDE = 80;
const LABELS_MAX = 24;
const LABELS_MAX_NARROW = 16;

/** One fact: label and both values in columns, or below each other where the dialog is narrow. */
function factRows({ label, values }: ComparedFact, names: readonly [string, string], width: number): Line[] {
  if (width < WIDE) {
    const room = Math.max(widthOf(names[0]), widthOf(names[1]), 1);
    const below = values.flatMap((value, side) =>
      wrap(shown(value), Math.max(8, width - room - 4)).map(
        (text, row): Line => [
          { text: `  ${fit(row === 0 ? (names[side] ?? '') : '', room)}  `, tone: 'muted' },
          { text, tone: value === '' ? 'faint' : undefined },
        ],
      ),
    );
    return [[{ text: label, tone: 'accent' }], ...below];
  }
  const column = Math.floor((width - LABELS_MAX - 2) / 2);
  const [left, right] = values.map((value) => wrap(shown(value), column - 2)) as [string[], string[]];
  return Array.from(
    { length: Math.max(left.length, right.length) },
    (_, row): Line => [
      { text: fit(row === 0 ? label : '', LABELS_MAX), tone: 'accent' },
      { text: `  ${fit(left[row] ?? '', column)}`, tone: values[0] === '' ? 'faint' : undefined },
      { text: right[row] ?? '', tone: values[1] === '' ? 'faint' : undefined },
    ],
  );
}

/** A fact that both sides share. */
function sameRows({ label, values: [value] }: ComparedFact, width: number): Line[] {
  const column = width < WIDE ? LABELS_MAX_NARROW : LABELS_MAX;
  return wrap(shown(value), Math.max(8, width - column - 2)).map(
    (text, row): Line => [
      { text: `${fit(row === 0 ? label : '', column)}  `, tone: 'muted' },
      { text, tone: 'faint' },
    ],
  );
}

function titleRow([one, other]: readonly [string, string], width: number): Line[] {
  if (width < WIDE) return [];
  const column = Math.floor((width - LABELS_MAX - 2) / 2);
  return [
    [
      { text: ' '.repeat(LABELS_MAX + 2) },
      { text: fit(one, column), tone: 'strong' },
      { text: fit(other, column), tone: 'strong' },
    ],
  ];
}

/** A comparison as a dialog. */
export function compareDialog(left: Side, right: Side, nowMs: number): TextDialog {
  const names = [clean(left.name), clean(right.name)] as const;
  const all = compareAgents(left.agent, right.agent, nowMs);
  const known = all.filter(({ isUnknown }) => !isUnknown);
  const different = known.filter(differs);
  const same = known.filter((fact) => !differs(fact));
  const unknown = all.filter(({ isUnknown }) => isUnknown);
  const sameText = same.map(({ label, values: [value] }) => `${label}: ${shown(value)}`).join('; ');
  const unknownText = unknown.map(({ label }) => label).join(', ');
  return {
    kind: 'text',
    title: `${names[0]} and ${names[1]}`,
    lines: (width) => [
      heading(different.length === 0 ? 'No known fact differs' : `Different (${different.length})`),
      ...titleRow(names, width),
      ...different.flatMap((fact) => factRows(fact, names, width)),
      ...(unknown.length === 0
        ? []
        : [[], heading(`Not known of that time (${unknown.length})`), ...paragraph(unknownText, width, 'muted')]),
      ...(same.length === 0 ? [] : [[], heading(`Same (${same.length})`)]),
      ...same.flatMap((fact) => sameRows(fact, width)),
    ],
    copy: [
      ['', ...names].join('\t'),
      ...different.map(({ label, values }) => [label, ...values.map(shown)].join('\t')),
      ...(unknown.length === 0 ? [] : [`Not known of that time: ${unknownText}`]),
      ...(same.length === 0 ? [] : [`Same: ${sameText}`]),
    ].join('\n'),
  };
}
