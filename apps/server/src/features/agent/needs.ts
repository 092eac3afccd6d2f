import type { RecordingNeeds } from '../audit/needs.ts';
import type { AgentDeps } from './records/agent.types.ts';

/** Parts of a server that agents work with. */
export interface AgentNeeds extends AgentDeps, Pick<RecordingNeeds, 'log' | 'key' | 'audit'> {
  /** Seconds between agents' reports. */
  readonly agentIntervalS: number;
}
