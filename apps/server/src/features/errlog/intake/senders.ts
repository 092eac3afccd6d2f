// Senders of lines over HTTP: the credential of a body, and the source of each line.
import type { AgentActor, UserActor } from '@quarterdeck/core';
import { cleanName } from '@quarterdeck/core/lines';
import type { Sender } from '@quarterdeck/store';

/** Actors that may send lines. */
export type LineSender = UserActor | AgentActor;

export interface BodySender extends Pick<Sender, 'name' | 'address' | 'agentId'> {
  /** Identity of the credential, by which the new names in its lines are limited. */
  readonly credential: string;
}

const AGENT_NAME = /^agent \d+(?: |$)/;

/** Returns the sender of a body: an agent sends for its host, others under the name of their token or user. */
export function senderOf(actor: LineSender, address: string): BodySender {
  if (actor.kind === 'agent') {
    const name = `agent ${actor.agentId}`;
    return { name, agentId: actor.agentId, address, credential: name };
  }
  const { kind, id, name } = actor.credential;
  if (kind === 'session') return { name: cleanName(actor.username), address, credential: `user ${actor.userId}` };
  return { name: cleanName(name) || `API token ${id}`, address, credential: `token ${id}` };
}

/**
 * Returns the source of a line: its host, otherwise the name of the sender of its body. All lines of an agent have the
 * source of the agent.
 */
export function sourceOf(from: BodySender, host: string, nodeType: number, nodeId: number): Sender {
  const { name, address, agentId, credential } = from;
  if (agentId !== undefined) {
    return { nodeType, nodeId, name, address, agentId, credential };
  }
  return {
    nodeType,
    nodeId,
    name: unreserved(host || name, nodeType),
    address,
    credential,
  };
}

/**
 * Changes a name that belongs to the source of an agent, or to that of this server (node type 1). Sources are found by
 * their names, and nobody may file lines under those.
 */
const unreserved = (name: string, nodeType: number) =>
  AGENT_NAME.test(name) || (nodeType === 1 && name === 'quarterdeck') ? `host ${name}` : name;
