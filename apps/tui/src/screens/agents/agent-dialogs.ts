// The dialogs of the agents: note, labels and settings, operations, all of a filter. As data; the dialogs ask.
import type { OperationKind } from '@quarterdeck/core';
import { OperationParams, plainMessage } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import type { FormDialog, Problem, Values } from '../../components/dialog/dialog.ts';
import type { Field, Option } from '../../components/form/form-state.ts';
import { agentFilterText } from '../../data/agent-filter.ts';
import { operateAgent, updateAgent } from '../../data/agents.ts';
import {
  type AgentAction,
  type AgentActions,
  type AgentTarget,
  agentName,
  askPlain,
  confirmAction,
  labelParts,
  type PLAIN_ACTIONS,
  partsOf,
  targetName,
} from './agent-bulk.ts';
import { type Labels, labelsText, readLabelChange, readLabels } from './agent-labels.ts';

const NOTE_MAX = 2000;
const LABELS_MAX = 1000;

const whom = (target: AgentTarget): string[] =>
  target.kind === 'filter'
    ? [agentFilterText(target.filter)]
    : target.agents.length === 1
      ? []
      : [target.agents.map(agentName).join(', ')];

/** Writes a note to one agent, or the same one to several. */
export function noteDialog(target: AgentTarget, deeds: AgentActions): FormDialog {
  const [first] = target.kind === 'rows' ? target.agents : [];
  const single = target.kind === 'rows' && target.agents.length === 1 ? first : undefined;
  return {
    kind: 'form',
    title: `Note to ${targetName(target)}`,
    submit: single === undefined ? 'look what it would change' : 'save it',
    initial: { note: single?.note ?? '' },
    fields: () => [{ kind: 'text', name: 'note', label: 'Note', max: NOTE_MAX, hint: 'what is known of it' }],
    preview: () => whom(target),
    async run({ note = '' }) {
      if (single === undefined) {
        const words = {
          verb: 'Change the note of',
          done: 'Changed the note of',
          lines: [`The note: ${note || '(none)'}`],
        };
        return confirmAction(target, partsOf(target, { action: 'update', note }), words, deeds);
      }
      await updateAgent(deeds.client, single.id, { note });
      deeds.onChanged();
      return `Saved the note to ${agentName(single)}.`;
    },
  };
}

const SETTINGS = [
  ['catch_transient_event', 'Transient events', 'catch them'],
  ['autorun_tools', 'Tools', 'run them by itself'],
  ['maintenance', 'Maintenance', 'nobody is told when it comes and goes'],
] as const;

const sameLabels = (a: Labels, b: Labels): boolean => labelsText(a) === labelsText(b);

/** Labels and settings of one agent. */
export function editDialog(agent: Agent, { client, onChanged }: AgentActions): FormDialog {
  const { labels = {} } = agent;
  const before = (name: (typeof SETTINGS)[number][0]): string => (agent[name] === true ? 'yes' : '');
  return {
    kind: 'form',
    title: `Change ${agentName(agent)}`,
    submit: 'save it',
    initial: {
      labels: labelsText(labels),
      ...Object.fromEntries(SETTINGS.map(([name]) => [name, before(name)])),
    },
    fields: () => [
      { kind: 'text', name: 'labels', label: 'Labels', max: LABELS_MAX, hint: 'site=north, tier' },
      ...SETTINGS.map(([name, label, text]): Field => ({ kind: 'check', name, label, text })),
    ],
    check: ({ labels: text = '' }) => {
      const read = readLabels(text);
      return 'problem' in read ? { field: 'labels', text: read.problem } : null;
    },
    async run(values) {
      const read = readLabels(values['labels'] ?? '');
      const next = 'problem' in read ? labels : read.labels;
      const body = {
        ...(sameLabels(labels, next) ? {} : { labels: { ...next } }),
        ...Object.fromEntries(
          SETTINGS.flatMap(([name]) => (values[name] === before(name) ? [] : [[name, values[name] === 'yes']])),
        ),
      };
      if (Object.keys(body).length === 0) return 'Nothing was changed.';
      await updateAgent(client, agent.id, body);
      onChanged();
      return `Changed ${agentName(agent)}.`;
    },
  };
}

const AS_IT_IS: readonly Option[] = [
  { value: '', label: 'as it is' },
  { value: 'on', label: 'on' },
  { value: 'off', label: 'off' },
];

/** Labels and settings of several agents: what is not touched stays as it is. */
export function editManyDialog(target: AgentTarget, deeds: AgentActions): FormDialog {
  return {
    kind: 'form',
    title: `Change ${targetName(target)}`,
    submit: 'look what it would change',
    initial: { labels: '', ...Object.fromEntries(SETTINGS.map(([name]) => [name, ''])) },
    fields: () => [
      { kind: 'text', name: 'labels', label: 'Labels', max: LABELS_MAX, hint: 'site=north adds, -tier takes away' },
      ...SETTINGS.map(([name, label]): Field => ({ kind: 'choice', name, label, options: AS_IT_IS })),
    ],
    check: (values) => {
      const change = readLabelChange(values['labels'] ?? '');
      if ('problem' in change) return { field: 'labels', text: change.problem };
      const touched = Object.values(values).some((value) => value.trim() !== '');
      return touched ? null : { field: 'labels', text: 'Say what is to change.' };
    },
    preview: () => whom(target),
    async run(values) {
      const chosen = SETTINGS.filter(([name]) => values[name] !== '');
      const deed: AgentAction = {
        action: 'update',
        ...Object.fromEntries(chosen.map(([name]) => [name, values[name] === 'on'])),
      };
      const change = readLabelChange(values['labels'] ?? '');
      const changesLabels = !('problem' in change) && (values['labels'] ?? '').trim() !== '';
      const words = {
        verb: 'Change',
        done: 'Changed',
        lines: [
          ...(changesLabels ? [`Labels: ${values['labels']}`] : []),
          ...chosen.map(([name, label]) => `${label}: ${values[name]}`),
        ],
      };
      const parts = changesLabels ? await labelParts(deeds.client, target, deed, change) : partsOf(target, deed);
      return confirmAction(target, parts, words, deeds);
    },
  };
}

/** Operations with what they do. */
export const OPERATIONS: Readonly<Record<OperationKind, { readonly label: string; readonly text: string }>> = {
  collect_facts: { label: 'collect facts', text: 'It reports every fact anew.' },
  upgrade: {
    label: 'upgrade',
    text: 'It runs the hook that is configured on its host. No command is sent, and nothing is downloaded by itself.',
  },
  restart_tailer: { label: 'restart tailer', text: 'It opens the log files it follows anew.' },
};

const KIND_OPTIONS = Object.entries(OPERATIONS).map(([value, { label }]) => ({ value, label }));
const STARTS = [
  { value: '600', label: '10 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

const kindOf = (values: Values): OperationKind => (values['kind'] ?? 'collect_facts') as OperationKind;
const paramsOf = (values: Values): { version?: string } =>
  kindOf(values) === 'upgrade' && (values['version'] ?? '').trim() !== ''
    ? { version: (values['version'] ?? '').trim() }
    : {};

function checkParams(values: Values): Problem | null {
  if (kindOf(values) !== 'upgrade') return null;
  const read = OperationParams.safeParse(paramsOf(values), { error: plainMessage });
  return read.success ? null : { field: 'version', text: `The version ${read.error.issues[0]?.message}.` };
}

const kindFields = (values: Values): Field[] => [
  { kind: 'choice', name: 'kind', label: 'Do', options: KIND_OPTIONS },
  ...(kindOf(values) === 'upgrade'
    ? [{ kind: 'text' as const, name: 'version', label: 'Version', max: 100, hint: 'handed to the hook; may be empty' }]
    : []),
];

/** Asks one agent, or several, for an operation. */
export function operateDialog(target: AgentTarget, deeds: AgentActions): FormDialog {
  const [first] = target.kind === 'rows' ? target.agents : [];
  const single = target.kind === 'rows' && target.agents.length === 1 ? first : undefined;
  return {
    kind: 'form',
    title: `Ask ${targetName(target)} for an operation`,
    submit: single === undefined ? 'look whom it would ask' : 'ask for it',
    initial: { kind: 'collect_facts', version: '', within: '3600' },
    fields: (values) => [
      ...kindFields(values),
      ...(single === undefined
        ? []
        : [{ kind: 'choice' as const, name: 'within', label: 'To be taken within', options: STARTS }]),
    ],
    check: checkParams,
    preview: (values) => [OPERATIONS[kindOf(values)].text, ...whom(target)],
    async run(values) {
      const kind = kindOf(values);
      const { label, text } = OPERATIONS[kind];
      const params = paramsOf(values);
      if (single === undefined) {
        const words = { verb: `Ask for "${label}":`, done: `Asked for "${label}":`, lines: [text] };
        return confirmAction(target, partsOf(target, { action: 'operate', kind, params }), words, deeds);
      }
      const start_within = Number(values['within'] ?? 3600);
      await operateAgent(deeds.client, { agent_id: single.id, kind, params, start_within });
      deeds.onChanged();
      return `Asked ${agentName(single)} for "${label}". It learns of it with its next report.`;
    },
  };
}

const BULK = [
  { value: 'edit', label: 'change' },
  { value: 'note', label: 'note' },
  { value: 'operate', label: 'operation' },
  { value: 'delete', label: 'delete' },
  { value: 'restore', label: 'restore' },
  { value: 'purge', label: 'purge' },
];

/** Does something to all that match the filter: what first, then the same dialogs as for one. */
export function matchingDialog(target: AgentTarget, deeds: AgentActions): FormDialog {
  return {
    kind: 'form',
    title: 'Do to all that match',
    submit: 'go on',
    initial: { deed: 'edit' },
    fields: () => [{ kind: 'choice', name: 'deed', label: 'Do', options: BULK }],
    preview: () => whom(target),
    async run({ deed = '' }) {
      if (deed === 'edit') return editManyDialog(target, deeds);
      if (deed === 'note') return noteDialog(target, deeds);
      if (deed === 'operate') return operateDialog(target, deeds);
      return askPlain(deed as keyof typeof PLAIN_ACTIONS, target, deeds);
    },
  };
}
