// The demo's agents as they were at a time: the history is undone, newest entry first.
import type { AgentEvent, AgentState } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import type { Fleet } from './fleet-state.ts';

/** States before an entry of the history. */
const BEFORE: Readonly<Partial<Record<AgentEvent['kind'], AgentState>>> = {
  offline: 'online',
  online: 'offline',
  inactive: 'offline',
  restored: 'deleted',
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Sets a field by its path, in the type that it has. */
function withField<T>(target: T, [name = '', ...rest]: readonly string[], text: string): T {
  if (!isObject(target) || !Object.hasOwn(target, name)) return target;
  const present = target[name];
  const typed = typeof present === 'number' ? Number(text) : typeof present === 'boolean' ? text === 'true' : text;
  return { ...target, [name]: rest.length === 0 ? typed : withField(present, rest, text) };
}

function undo(agent: Agent, { kind, field, from }: AgentEvent): Agent {
  const state = BEFORE[kind];
  if (state !== undefined) {
    const reason = state === 'online' ? 'reporting' : 'lost';
    return { ...agent, state, reason, online: state === 'online', is_deleted: state === 'deleted' };
  }
  const isField = ['changed', 'settings', 'note', 'maintenance'].includes(kind);
  return isField && !isObject(agent[field as keyof Agent]) ? withField(agent, field.split('.'), from) : agent;
}

/** The agents at a time, Unix seconds. */
export const pastAgents = ({ agents, history }: Fleet, at: number): Agent[] =>
  agents
    .filter(({ created }) => created <= at)
    .map((agent) => {
      const later = (history.get(agent.id) ?? []).filter(({ time }) => time > at).sort((a, b) => b.time - a.time);
      const then = later.reduce(undo, agent);
      const isSeen = agent.last_reported <= at;
      return {
        ...then,
        last_reported: isSeen ? agent.last_reported : at,
        unknown: ['modified', 'progress', 'interval', 'shipper', 'cloned', ...(isSeen ? [] : ['last_reported'])],
      };
    });
