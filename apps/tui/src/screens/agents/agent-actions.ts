// Changes of one agent, the marked ones, or all that match a filter. A dry run on the server comes first, then the
// question, then the change and its result.
import type { BulkResult } from '@quarterdeck/core';
import type { Agent, Client } from '@quarterdeck/sdk';
import {
  type AgentBulk,
  type AgentFilter,
  agentFilterText,
  agentName,
  allAgents,
  bulkAgents,
  firstAgents,
  setStates,
} from '@quarterdeck/views/agents';
import { groupCounts, groupText } from '@quarterdeck/views/questions';
import { grouped, plural } from '@quarterdeck/views/text';
import { groupLines } from '../../components/dialog/group-lines.ts';
import { paragraph } from '../../components/list/detail-lines.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { ConfirmDialog, Dialog, Outcome, TextDialog } from '../../context/dialog.ts';
import { changedLabels, type LabelChange } from '../shared/agent-labels.ts';
import { previewGroups, resultGroups } from './agent-preview.ts';

/** The agents of a change. */
export type AgentTarget =
  | { readonly kind: 'rows'; readonly agents: readonly Agent[] }
  | {
      readonly kind: 'filter';
      readonly filter: AgentFilter;
      /** The first agents that match, once they are read. */
      readonly agents?: readonly Agent[];
    };

/** Everything that the dialogs need. */
export interface AgentActions extends Pick<Dashboard, 'client' | 'profile' | 'recordUndo'> {
  /** Runs after each change. */
  readonly onChanged: () => void;
}

/** A change as the bulk endpoint takes it, without its agents. */
export type AgentAction = Omit<AgentBulk, 'ids' | 'filter'>;

/** The values of an agent that a person can change. */
type AgentSettings = Pick<AgentBulk, 'note' | 'labels' | 'maintenance' | 'catch_transient_event' | 'autorun_tools'>;

/** A change in words. */
export interface ActionText {
  /** `Delete`, before `3 agents`. */
  readonly verb: string;
  /** `Deleted`. */
  readonly done: string;
  /** The consequences. */
  readonly lines: readonly string[];
  /** Set for a destructive change: a protected profile asks for the name. */
  readonly destroys?: true;
}

/** The values of an agent that a change replaces. */
export function settingsBefore(agent: Agent, change: Partial<AgentSettings>): AgentSettings {
  const { note = '', labels = {}, maintenance = false, catch_transient_event = false, autorun_tools = false } = agent;
  const all: AgentSettings = { note, labels, maintenance, catch_transient_event, autorun_tools };
  return Object.fromEntries(Object.entries(all).filter(([name]) => change[name as keyof AgentSettings] !== undefined));
}

/** The agents of a change in words. */
export function targetName(target: AgentTarget): string {
  if (target.kind === 'filter') return 'all that match';
  const [first] = target.agents;
  return target.agents.length === 1 && first !== undefined ? agentName(first) : plural(target.agents.length, 'agent');
}

/** The requests of a change. Restore and purge select deleted agents. */
export function partsOf(target: AgentTarget, action: AgentAction): AgentBulk[] {
  if (target.kind === 'rows') return [{ ...action, ids: target.agents.map(({ id }) => id) }];
  const { filter } = target;
  const ofDeleted = action.action === 'restore' || action.action === 'purge';
  return [{ ...action, filter: ofDeleted ? setStates(filter, ['deleted']) : filter }];
}

/**
 * The requests of a change of labels. The server sets all labels of an agent at once, so agents with the same resulting
 * labels share a request.
 */
export async function labelParts(
  client: Client,
  target: AgentTarget,
  action: AgentAction,
  change: LabelChange,
): Promise<AgentBulk[]> {
  const agents = target.kind === 'rows' ? target.agents : await allAgents(client, target.filter);
  const groups = new Map<string, { labels: Readonly<Record<string, string>>; ids: number[] }>();
  for (const { id, labels = {} } of agents) {
    const next = changedLabels(labels, change);
    const key = JSON.stringify(Object.entries(next).sort(([a], [b]) => (a < b ? -1 : 1)));
    const group = groups.get(key) ?? { labels: next, ids: [] };
    group.ids.push(id);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ labels, ids }) => ({ ...action, labels: { ...labels }, ids }));
}

/** The result of a change that failed for some agents. */
function resultDialog({ agents = [] }: AgentTarget, result: BulkResult, words: ActionText): TextDialog {
  const { matched, done } = result;
  const groups = resultGroups(agents, result);
  return {
    kind: 'text',
    title: `${words.done} ${grouped(done)} of ${plural(matched, 'agent')}`,
    lines: (width) => [
      ...paragraph(done === 0 ? 'No agent was changed.' : `${groupCounts(groups)}:`, width, 'strong'),
      [],
      ...groupLines(groups, width),
    ],
    copy: groupText(groups),
  };
}

/** The requests that take a change back; null if it cannot be undone. */
function partsBack(target: AgentTarget, parts: readonly AgentBulk[]): AgentBulk[] | null {
  const [{ action } = { action: '' }] = parts;
  if (target.kind === 'filter' || (action !== 'update' && action !== 'delete')) return null;
  if (action === 'delete') return partsOf(target, { action: 'restore' });
  const before = target.agents.map((agent) => {
    const part = parts.find(({ ids }) => ids?.includes(agent.id));
    return { id: agent.id, body: JSON.stringify(settingsBefore(agent, part ?? {})) };
  });
  return [...Map.groupBy(before, ({ body }) => body)].map(([body, agents]) => ({
    ...(JSON.parse(body) as Partial<AgentBulk>),
    action: 'update',
    ids: agents.map(({ id }) => id),
  }));
}

/** Runs a change and reports its result. */
export async function runAction(
  target: AgentTarget,
  parts: readonly AgentBulk[],
  words: ActionText,
  { client, onChanged, recordUndo }: AgentActions,
): Promise<Outcome> {
  const result = await bulkAgents(client, parts, false);
  onChanged();
  const back = partsBack(target, parts);
  const name = target.kind === 'rows' && target.agents.length === 1 ? targetName(target) : plural(result.done, 'agent');
  const text = recordUndo(
    `${words.done} ${name}.`,
    back === null ? null : () => bulkAgents(client, back, false).finally(onChanged),
  );
  return result.failed.length > 0 ? resultDialog(target, result, words) : text;
}

/** Reads the agents of a change, so that all of them can be listed. */
async function withAgents(target: AgentTarget, parts: readonly AgentBulk[], client: Client): Promise<AgentTarget> {
  const [filter] = parts.flatMap((part) => part.filter ?? []);
  if (target.kind === 'rows') return target;
  return { ...target, agents: await firstAgents(client, filter ?? target.filter) };
}

/** Makes a dry run, and returns the question that follows from it: with every agent, by state. */
export async function confirmAction(
  asked: AgentTarget,
  parts: readonly AgentBulk[],
  words: ActionText,
  actions: AgentActions,
): Promise<Dialog> {
  const { client, profile } = actions;
  const [preview, target] = await Promise.all([bulkAgents(client, parts, true), withAgents(asked, parts, client)]);
  const { matched, failed } = preview;
  const able = matched - failed.length;
  const groups = previewGroups(target.agents ?? [], preview);
  const filterLines = target.kind === 'filter' ? [agentFilterText(target.filter)] : [];
  if (able <= 0) {
    return {
      kind: 'text',
      title: matched === 0 ? 'No agent matches' : `${words.verb}: impossible for ${plural(matched, 'agent')}`,
      lines: (width) => [
        ...filterLines.flatMap((text) => paragraph(text, width)),
        ...(matched === 0 ? [] : groupLines(groups, width)),
      ],
      copy: groupText(groups),
    };
  }
  const one = target.kind === 'rows' && target.agents.length === 1;
  const what = one ? targetName(target) : plural(able, 'agent');
  const confirm: ConfirmDialog = {
    kind: 'confirm',
    title: `${words.verb} ${what}?`,
    lines: [...words.lines, ...filterLines],
    ...(one ? {} : { groups }),
    warning: failed.length === 0 ? undefined : `${grouped(failed.length)} of ${grouped(matched)} will not be changed.`,
    yes: `${words.verb} ${one ? 'it' : what}`,
    typed: profile.isProtected && words.destroys === true ? (one ? what : `${able} agents`) : undefined,
    run: () => runAction(target, parts, words, actions),
  };
  return confirm;
}

/** Changes without fields. */
export const PLAIN_ACTIONS = {
  delete: {
    verb: 'Delete',
    done: 'Deleted',
    lines: ['The secret of a deleted agent stops working at once. For thirty days it can be restored.'],
    destroys: true,
  },
  restore: { verb: 'Restore', done: 'Restored', lines: ['The secret of a restored agent works again.'] },
  purge: {
    verb: 'Purge',
    done: 'Purged',
    lines: ['A purged agent is gone for good, and its history with it. This cannot be undone.'],
    destroys: true,
  },
} as const satisfies Record<string, ActionText>;

/** The question before a change that has no fields. */
export const askPlain = (
  action: keyof typeof PLAIN_ACTIONS,
  target: AgentTarget,
  actions: AgentActions,
): Promise<Dialog> => confirmAction(target, partsOf(target, { action }), PLAIN_ACTIONS[action], actions);
