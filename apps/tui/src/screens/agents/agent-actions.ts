// Changes of one agent, the marked ones, or all that match a filter. A dry run on the server comes first, then the
// question, then the change and its result.
import type { BulkResult } from '@quarterdeck/core';
import type { Agent, Client } from '@quarterdeck/sdk';
import type { ConfirmDialog, Dialog, Outcome, TextDialog } from '../../components/dialog/dialog.ts';
import { paragraph } from '../../components/list/detail-lines.ts';
import { type AgentFilter, agentFilterText, setStates } from '../../data/agent-filter.ts';
import { type AgentBulk, allAgents, bulkAgents } from '../../data/agents.ts';
import type { Profile } from '../../profiles/profile.ts';
import { clean } from '../../text/clean.ts';
import { grouped, plural } from '../../text/format.ts';
import { changedLabels, type LabelChange } from './agent-labels.ts';

/** The agents of a change. */
export type AgentTarget =
  | { readonly kind: 'rows'; readonly agents: readonly Agent[] }
  | { readonly kind: 'filter'; readonly filter: AgentFilter };

/** Everything that the dialogs need. */
export interface AgentActions {
  readonly client: Client;
  readonly profile: Profile;
  /** Runs after each change. */
  readonly onChanged: () => void;
}

/** A change as the bulk endpoint takes it, without its agents. */
export type AgentAction = Omit<AgentBulk, 'ids' | 'filter'>;

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

/** Failures named in a question. */
const REASONS_MAX = 8;

/** The host's name, or the agent's id. */
export const agentName = ({ hostname, id }: Pick<Agent, 'hostname' | 'id'>): string => clean(hostname) || `#${id}`;

/** The agents of a change in words. */
export function targetName(target: AgentTarget): string {
  if (target.kind === 'filter') return 'all that match';
  const [first] = target.agents;
  return target.agents.length === 1 && first !== undefined ? agentName(first) : plural(target.agents.length, 'agent');
}

/** The agents of a change, one line each. */
const targetLines = (target: AgentTarget): string[] =>
  target.kind === 'filter' ? [agentFilterText(target.filter)] : target.agents.map(agentName);

/** The target without the agents that failed the dry run; those of a filter are not known. */
function without(target: AgentTarget, failed: BulkResult['failed']): AgentTarget {
  if (target.kind === 'filter') return target;
  const left = new Set(failed.map(({ id }) => id));
  return { kind: 'rows', agents: target.agents.filter(({ id }) => !left.has(id)) };
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

/** The failed agents, each with its reason. */
function failureTexts(target: AgentTarget, failed: BulkResult['failed']): string[] {
  const names = new Map(target.kind === 'rows' ? target.agents.map((agent) => [agent.id, agentName(agent)]) : []);
  return failed.map(({ id, msg }) => `${names.get(id) ?? `#${id}`}: ${clean(msg)}`);
}

/** The result of a change that failed for some agents. */
function resultDialog(target: AgentTarget, result: BulkResult, words: ActionText): TextDialog {
  const { matched, done, failed } = result;
  const reasons = failureTexts(target, failed);
  return {
    kind: 'text',
    title: `${words.done} ${grouped(done)} of ${plural(matched, 'agent')}`,
    lines: (width) => [
      ...paragraph(
        done === 0 ? 'No agent was changed.' : `${grouped(done)} succeeded.`,
        width,
        done === 0 ? 'bad' : 'good',
      ),
      [],
      ...paragraph(`${grouped(failed.length)} failed:`, width, 'warning'),
      ...reasons.flatMap((text) => paragraph(text, width)),
    ],
    copy: reasons.join('\n'),
  };
}

/** Runs a change and reports its result. */
export async function runAction(
  target: AgentTarget,
  parts: readonly AgentBulk[],
  words: ActionText,
  { client, onChanged }: AgentActions,
): Promise<Outcome> {
  const result = await bulkAgents(client, parts, false);
  onChanged();
  if (result.failed.length > 0) return resultDialog(target, result, words);
  const name = target.kind === 'rows' && target.agents.length === 1 ? targetName(target) : plural(result.done, 'agent');
  return `${words.done} ${name}.`;
}

/** Makes a dry run and returns the question that follows from it. */
export async function confirmAction(
  target: AgentTarget,
  parts: readonly AgentBulk[],
  words: ActionText,
  actions: AgentActions,
): Promise<Dialog> {
  const { matched, failed } = await bulkAgents(actions.client, parts, true);
  const able = matched - failed.length;
  const reasons = failureTexts(target, failed);
  const shown = reasons.slice(0, REASONS_MAX);
  if (able <= 0) {
    return {
      kind: 'text',
      title: matched === 0 ? 'No agent matches' : `${words.verb}: impossible for ${plural(matched, 'agent')}`,
      lines: (width) =>
        (matched === 0 ? [] : reasons)
          .concat(matched === 0 ? targetLines(target) : [])
          .flatMap((text) => paragraph(text, width)),
    };
  }
  const one = target.kind === 'rows' && target.agents.length === 1;
  const what = one ? targetName(target) : plural(able, 'agent');
  const confirm: ConfirmDialog = {
    kind: 'confirm',
    title: `${words.verb} ${what}?`,
    lines: [...words.lines, ...(one ? [] : targetLines(without(target, failed)))],
    warning:
      failed.length === 0
        ? undefined
        : `${grouped(failed.length)} of ${grouped(matched)} will not be changed: ${shown.join('; ')}${reasons.length > shown.length ? '; …' : ''}`,
    yes: `${words.verb} ${one ? 'it' : what}`,
    typed: actions.profile.isProtected && words.destroys === true ? (one ? what : `${able} agents`) : undefined,
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
