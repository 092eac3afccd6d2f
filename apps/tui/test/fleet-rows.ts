// Builders of rows about agents.
import type { AgentEvent, Enrollment, KernelRule, Operation, Outage } from '@quarterdeck/core';

const nowS = (): number => Math.floor(Date.now() / 1000);

/** Creates an operation. */
export const operation = (id: number, over: Partial<Operation> = {}): Operation => ({
  id,
  agent_id: id,
  hostname: `host-${id}`,
  kind: 'collect_facts',
  params: {},
  state: 'running',
  progress: 40,
  detail: '',
  created: nowS() - 60,
  modified: nowS() - 5,
  deadline: nowS() + 600,
  created_by: 'admin',
  ...over,
});

/** Creates an enrolment token without its secret. */
export const enrollment = (id: number, over: Partial<Enrollment> = {}): Enrollment => ({
  id,
  name: `token-${id}`,
  expire: 0,
  uses: 0,
  used: 0,
  labels: {},
  state: 'active',
  token_tail: 'abcd',
  created: nowS() - 60,
  created_by: 'admin',
  last_used: null,
  ...over,
});

/** Creates a rule for bad kernels. */
export const kernelRule = (id: number, over: Partial<KernelRule> = {}): KernelRule => ({
  id,
  pattern: `6.${id}.*`,
  reason: 'it stalls',
  agents: 0,
  created: nowS() - 60,
  created_by: 'admin',
  ...over,
});

/** Creates an outage. */
export const outage = (id: number, over: Partial<Outage> = {}): Outage => ({
  id,
  started: nowS() - 300,
  ended: null,
  lost: 12,
  returned: 2,
  sample: [],
  ...over,
});

/** Creates an entry of an agent's history. */
export const agentEvent = (id: number, over: Partial<AgentEvent> = {}): AgentEvent => ({
  id,
  time: nowS() - 60 * id,
  kind: 'changed',
  field: 'system_version.kernel',
  name: '',
  from: '6.1',
  to: '6.2',
  actor: '',
  change_id: 0,
  has_diff: false,
  ...over,
});
