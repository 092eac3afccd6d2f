import type { AgentDeps } from '../agent/records/agent.types.ts';
import type { RecordingNeeds } from '../audit/needs.ts';

/** Parts of a server that rules about kernels work with. */
export interface KernelRuleNeeds extends AgentDeps, Pick<RecordingNeeds, 'log' | 'audit'> {}
