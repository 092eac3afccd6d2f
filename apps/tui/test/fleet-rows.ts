// Builders of rows about agents.
import type { AgentEvent, Enrollment, KernelRule, Operation, Outage } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';

const nowS = (): number => Math.floor(Date.now() / 1000);

export const operation = (id: number, over: Partial<Operation> = {}): Operation => {
  const times = { created: nowS() - 60, modified: nowS() - 5, deadline: nowS() + 600 };
  return build.operation({
    id,
    agent_id: id,
    hostname: `host-${id}`,
    state: 'running',
    progress: 40,
    ...times,
    ...over,
  });
};

/** Creates an enrollment token without its secret. */
export const enrollment = (id: number, over: Partial<Enrollment> = {}): Enrollment =>
  build.enrollment({ id, name: `token-${id}`, created: nowS() - 60, ...over });

/** Creates a rule for bad kernels. */
export const kernelRule = (id: number, over: Partial<KernelRule> = {}): KernelRule =>
  build.kernelRule({ id, pattern: `6.${id}.*`, ...over });

export const outage = (id: number, over: Partial<Outage> = {}): Outage =>
  build.outage({ id, started: nowS() - 300, returned: 2, ...over });

/** Creates an entry of an agent's history. */
export const agentEvent = (id: number, over: Partial<AgentEvent> = {}): AgentEvent => {
  const change = { kind: 'changed', field: 'system_version.kernel', from: '6.1', to: '6.2' } as const;
  return build.agentEvent({ id, time: nowS() - 60 * id, ...change, ...over });
};
