// What agent and server say to each other in a report beyond the facts. The server's contract has the same under
// `AgentFacts` and `AgentOrders`.
import { type AgentFacts, AgentOrders as BareOrders } from '@quarterdeck/core';
import { z } from 'zod';

/** What log shipping is at; counted since the agent started, but for `bytes_waiting`. */
export interface ShipperState {
  /** Files that are followed. */
  readonly files: number;
  /** Lines the server has acknowledged. */
  readonly lines: number;
  /** Bytes in the files and on the agent's disk that the server does not have yet. */
  readonly bytes_waiting: number;
  /** Lines that could not be kept, at least: where a whole end of a file was gone, it counts as one. */
  readonly lines_dropped: number;
  /** Lines the server did not take. */
  readonly lines_refused: number;
}

/** What became of an operation. */
export const OperationReport = z.object({
  id: z.int().min(1),
  state: z.enum(['running', 'succeeded', 'failed']),
  progress: z.int().min(0).max(100).optional(),
  detail: z.string().max(1000).optional(),
});
export type OperationReport = z.infer<typeof OperationReport>;

/** What the server asks for. */
export const OperationOrder = z.object({
  id: z.int().min(1),
  kind: z.enum(['collect_facts', 'upgrade', 'restart_tailer']),
  /** By the server's clock. */
  deadline: z.int(),
  /** Left until the deadline. */
  seconds: z.number(),
  params: z.object({ version: z.string().max(100).optional() }).optional(),
});
export type OperationOrder = z.infer<typeof OperationOrder>;

/** What an administrator decides for an agent. */
export const Settings = z.object({ catch_transient_event: z.boolean(), autorun_tools: z.boolean() });
export type Settings = z.infer<typeof Settings>;

/** The answer to a report. Operations are read one by one: this agent may be older than the server. */
export const Orders = BareOrders.extend({
  settings: Settings.optional(),
  operations: z.array(z.unknown()).optional(),
});
export type Orders = z.infer<typeof Orders>;

/** A report: facts that changed, and how it stands with what the server asked for. Times are Unix seconds. */
export type Report = AgentFacts & {
  readonly boot_time?: number;
  readonly started?: number;
  readonly shipper?: ShipperState;
  readonly operations?: OperationReport[];
};
