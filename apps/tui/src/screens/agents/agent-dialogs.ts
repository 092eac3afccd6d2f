// The dialogs of the agents as data: note, labels and settings, operations, all that match a filter.
import type { OperationKind } from '@quarterdeck/core';
import { OperationParams, plainMessage } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { agentFilterText, agentName, OPERATIONS, operateAgent, updateAgent } from '@quarterdeck/views/agents';
import type { Field, Option, Problem, Values } from '@quarterdeck/views/questions';
import type { FormDialog } from '../../context/dialog.ts';
import { type Labels, labelsText, readLabelChange, readLabels } from '../shared/agent-labels.ts';
import {
  type AgentAction,
  type AgentActions,
  type AgentTarget,
  askPlain,
  confirmAction,
  labelParts,
  type PLAIN_ACTIONS,
  partsOf,
  settingsBefore,
  targetName,
} from './agent-actions.ts';

const NOTE_MAX = 2000;
const LABELS_MAX = 1000;

const targetSummary = (target: AgentTarget): string[] =>
  target.kind === 'filter'
    ? [agentFilterText(target.filter)]
    : target.agents.length === 1
      ? []
      : [target.agents.map(agentName).join(', ')];

/** Changes one agent and keeps the way back. */
async function update(
  agent: Agent,
  body: Parameters<typeof updateAgent>[2],
  done: string,
  { client, onChanged, recordUndo }: AgentActions,
): Promise<string> {
  await updateAgent(client, agent.id, body);
  onChanged();
  return recordUndo(done, () => updateAgent(client, agent.id, settingsBefore(agent, body)).finally(onChanged));
}

/** Writes a note to one agent, or the same one to several. */
export function noteDialog(target: AgentTarget, actions: AgentActions): FormDialog {
  const [first] = target.kind === 'rows' ? target.agents : [];
  const single = target.kind === 'rows' && target.agents.length === 1 ? first : undefined;
  return {
    kind: 'form',
    title: `Note to ${targetName(target)}`,
    submit: single === undefined ? 'preview' : 'save it',
    initial: { note: single?.note ?? '' },
    fields: () => [{ kind: 'text', name: 'note', label: 'Note', max: NOTE_MAX, hint: 'what you know about it' }],
    preview: () => targetSummary(target),
    async run({ note = '' }) {
      if (single === undefined) {
        const words = {
          verb: 'Change the note of',
          done: 'Changed the note of',
          lines: [`The note: ${note || '(none)'}`],
        };
        return confirmAction(target, partsOf(target, { action: 'update', note }), words, actions);
      }
      return update(single, { note }, `Saved the note to ${agentName(single)}.`, actions);
    },
  };
}

const SETTINGS = [
  ['catch_transient_event', 'Transient events', 'catch them'],
  ['autorun_tools', 'Tools', 'run automatically'],
  ['maintenance', 'Maintenance', 'no alerts when it goes and comes back'],
] as const;

const sameLabels = (a: Labels, b: Labels): boolean => labelsText(a) === labelsText(b);

/** Labels and settings of one agent. */
export function editDialog(agent: Agent, actions: AgentActions): FormDialog {
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
      return update(agent, body, `Changed ${agentName(agent)}.`, actions);
    },
  };
}

const UNCHANGED: readonly Option[] = [
  { value: '', label: 'unchanged' },
  { value: 'on', label: 'on' },
  { value: 'off', label: 'off' },
];

/** Labels and settings of several agents; untouched fields stay unchanged. */
export function editManyDialog(target: AgentTarget, actions: AgentActions): FormDialog {
  return {
    kind: 'form',
    title: `Change ${targetName(target)}`,
    submit: 'preview',
    initial: { labels: '', ...Object.fromEntries(SETTINGS.map(([name]) => [name, ''])) },
    fields: () => [
      { kind: 'text', name: 'labels', label: 'Labels', max: LABELS_MAX, hint: 'site=north adds, -tier removes' },
      ...SETTINGS.map(([name, label]): Field => ({ kind: 'choice', name, label, options: UNCHANGED })),
    ],
    check: (values) => {
      const change = readLabelChange(values['labels'] ?? '');
      if ('problem' in change) return { field: 'labels', text: change.problem };
      const touched = Object.values(values).some((value) => value.trim() !== '');
      return touched ? null : { field: 'labels', text: 'Enter at least one change.' };
    },
    preview: () => targetSummary(target),
    async run(values) {
      const chosen = SETTINGS.filter(([name]) => values[name] !== '');
      const action: AgentAction = {
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
      const parts = changesLabels ? await labelParts(actions.client, target, action, change) : partsOf(target, action);
      return confirmAction(target, parts, words, actions);
    },
  };
}

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
  { kind: 'choice', name: 'kind', label: 'Operation', options: KIND_OPTIONS },
  ...(kindOf(values) === 'upgrade'
    ? [{ kind: 'text' as const, name: 'version', label: 'Version', max: 100, hint: 'passed to the hook; optional' }]
    : []),
];

/** Requests an operation from one agent or several. */
export function operateDialog(target: AgentTarget, actions: AgentActions): FormDialog {
  const [first] = target.kind === 'rows' ? target.agents : [];
  const single = target.kind === 'rows' && target.agents.length === 1 ? first : undefined;
  return {
    kind: 'form',
    title: `Request an operation from ${targetName(target)}`,
    submit: single === undefined ? 'preview' : 'request it',
    initial: { kind: 'collect_facts', version: '', within: '3600' },
    fields: (values) => [
      ...kindFields(values),
      ...(single === undefined
        ? []
        : [{ kind: 'choice' as const, name: 'within', label: 'Start within', options: STARTS }]),
    ],
    check: checkParams,
    preview: (values) => [OPERATIONS[kindOf(values)].text, ...targetSummary(target)],
    async run(values) {
      const kind = kindOf(values);
      const { label, text } = OPERATIONS[kind];
      const params = paramsOf(values);
      if (single === undefined) {
        const words = { verb: `Request "${label}" from`, done: `Requested "${label}" from`, lines: [text] };
        return confirmAction(target, partsOf(target, { action: 'operate', kind, params }), words, actions);
      }
      const start_within = Number(values['within'] ?? 3600);
      await operateAgent(actions.client, { agent_id: single.id, kind, params, start_within });
      actions.onChanged();
      return `Requested "${label}" from ${agentName(single)}. It starts after the next report of the agent.`;
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

/** Changes all agents that match the filter: asks for the action, then opens its dialog. */
export function matchingDialog(target: AgentTarget, actions: AgentActions): FormDialog {
  return {
    kind: 'form',
    title: 'Change all that match',
    submit: 'continue',
    initial: { action: 'edit' },
    fields: () => [{ kind: 'choice', name: 'action', label: 'Action', options: BULK }],
    preview: () => targetSummary(target),
    async run({ action = '' }) {
      if (action === 'edit') return editManyDialog(target, actions);
      if (action === 'note') return noteDialog(target, actions);
      if (action === 'operate') return operateDialog(target, actions);
      return askPlain(action as keyof typeof PLAIN_ACTIONS, target, actions);
    },
  };
}
