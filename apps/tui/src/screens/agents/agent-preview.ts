// The agents of a change, grouped by what will happen to them and by state. Pure.
import type { BulkResult } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import { agentName, reasonWord, stateOf, stateWord } from '@quarterdeck/views/agents';
import type { ObjectGroup } from '@quarterdeck/views/questions';
import { clean, signed, type Word } from '@quarterdeck/views/text';

const MAINTENANCE: Word = { sign: '◆', text: 'in maintenance', tone: 'notice' };

/** Groups in their order: agents that are away first. */
const GROUPS: readonly Word[] = [
  ...(['offline', 'pending', 'inactive'] as const).map(stateWord),
  MAINTENANCE,
  ...(['online', 'deleted'] as const).map(stateWord),
];

/** The agents that the server would change, by state. Those in maintenance have a group of their own. */
function byState(agents: readonly Agent[]): ObjectGroup[] {
  const sorted = agents.toSorted((a, b) => (agentName(a) < agentName(b) ? -1 : 1));
  const groups = Map.groupBy(sorted, (agent) => (agent.maintenance === true ? MAINTENANCE : stateWord(stateOf(agent))));
  return GROUPS.flatMap((word) => {
    const objects = groups.get(word)?.map((agent) => `${agentName(agent)}  ${reasonWord(agent)}`.trimEnd()) ?? [];
    return objects.length === 0 ? [] : [{ title: signed(word).text, tone: word.tone, objects }];
  });
}

/** The agents of a failure with their reasons. */
export const failedObjects = (agents: readonly Agent[], failed: BulkResult['failed']): string[] => {
  const names = new Map(agents.map((agent) => [agent.id, agentName(agent)]));
  return failed.map(({ id, msg }) => `${names.get(id) ?? `#${id}`}: ${clean(msg)}`);
};

/** Groups the agents of a change before it: those that the server would refuse first, the others by state. */
export function previewGroups(agents: readonly Agent[], { matched, failed }: BulkResult): ObjectGroup[] {
  const refused = new Set(failed.map(({ id }) => id));
  const states = byState(agents.filter(({ id }) => !refused.has(id)));
  const listed = states.reduce((sum, { objects }) => sum + objects.length, 0);
  const more = matched - failed.length - listed;
  return [
    ...(failed.length === 0
      ? []
      : [{ title: '✖ will not be changed', tone: 'warning' as const, objects: failedObjects(agents, failed) }]),
    ...states,
    ...(more > 0 ? [{ title: 'not listed', tone: 'muted' as const, objects: [], more }] : []),
  ];
}

/** Groups the agents of a change after it. */
export function resultGroups(agents: readonly Agent[], { done, failed }: BulkResult): ObjectGroup[] {
  const refused = new Set(failed.map(({ id }) => id));
  const objects = agents
    .filter(({ id }) => !refused.has(id))
    .slice(0, done)
    .map(agentName);
  return [
    { title: '✖ failed', tone: 'bad' as const, objects: failedObjects(agents, failed) },
    ...(done === 0
      ? []
      : [{ title: '✓ done', tone: 'good' as const, objects, more: Math.max(0, done - objects.length) }]),
  ];
}
