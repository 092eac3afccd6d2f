// Operations that the server requests from an agent. There are no others: no command is ever sent to a host.
import * as z from 'zod';
import { INT_MAX } from '../base/integer.ts';
import { text, UnixFraction, UnixSeconds } from './primitives.ts';

/**
 * Kind of an operation. `collect_facts`: report every fact again. `upgrade`: run the hook that the operator of the host
 * configured. `restart_tailer`: reopen the followed log files.
 */
export const OperationKind = z.enum(['collect_facts', 'upgrade', 'restart_tailer']);
export type OperationKind = z.infer<typeof OperationKind>;

/**
 * State of an operation. `queued`: waits for the agent. `delivered`: sent to it. `running`: in progress. The others are
 * final.
 */
export const OPERATION_STATES = [
  'queued',
  'delivered',
  'running',
  'succeeded',
  'failed',
  'expired',
  'cancelled',
] as const;
export const OperationState = z.enum(OPERATION_STATES);
export type OperationState = z.infer<typeof OperationState>;

/** Parameters of an operation. */
export const OperationParams = z.object({
  version: text(100)
    .regex(/^[A-Za-z0-9][A-Za-z0-9.+~:-]*$/, 'must be a version: letters, digits and .+~:-')
    .optional()
    .meta({ description: 'With upgrade: the target version, passed to the hook' }),
});
export type OperationParams = z.infer<typeof OperationParams>;

/** Reports whether the parameters fit the kind of operation. */
export const paramsFit = ({
  kind,
  params,
}: {
  kind?: OperationKind | undefined;
  params?: OperationParams | undefined;
}) => params?.version === undefined || kind === 'upgrade';

/** Issue to report when {@link paramsFit} is false. */
export const paramsDoNotFit = { path: ['params', 'version'], message: 'is allowed with upgrade only' };

/** An operation, as an administrator sees it. */
export const Operation = z.object({
  id: z.int(),
  agent_id: z.int(),
  hostname: z.string(),
  kind: OperationKind,
  params: OperationParams,
  state: OperationState,
  progress: z.int().min(0).max(100),
  detail: z.string().meta({ description: "The agent's report, or the reason of the end" }),
  created: UnixFraction,
  modified: UnixFraction,
  deadline: UnixSeconds.meta({ description: 'Deadline of the current step; 0 after the end' }),
  created_by: z.string(),
});
export type Operation = z.infer<typeof Operation>;

/** Default seconds for an agent to begin an operation. */
export const OPERATION_START_S = 3600;
/** Default seconds for it to finish after its start. */
export const OPERATION_RUN_S = 1800;

/** An operation to be requested. Each step has a deadline, so none stays in progress for ever. */
export const OperationDraft = z
  .object({
    agent_id: z.int().min(1).max(INT_MAX),
    kind: OperationKind,
    params: OperationParams.default({}),
    start_within: z
      .int()
      .min(10)
      .max(30 * 86_400)
      .default(OPERATION_START_S)
      .meta({
        description: `Seconds for the agent to begin; default ${OPERATION_START_S}`,
      }),
    run_within: z
      .int()
      .min(10)
      .max(86_400)
      .default(OPERATION_RUN_S)
      .meta({
        description: `Seconds for the agent to finish after its start; default ${OPERATION_RUN_S}`,
      }),
  })
  .refine(paramsFit, paramsDoNotFit)
  .meta({
    examples: [
      { agent_id: 1, kind: 'collect_facts' },
      { agent_id: 1, kind: 'upgrade', params: { version: '2.4.1' }, start_within: 3600, run_within: 1800 },
    ],
  });
export type OperationDraft = z.infer<typeof OperationDraft>;

/** Report of an agent about an operation, repeated until the server answers. */
export const AgentOperationReport = z.object({
  id: z.int().min(1).max(INT_MAX),
  state: z.enum(['running', 'succeeded', 'failed']),
  progress: z.int().min(0).max(100).optional(),
  detail: text(1000).optional(),
});
export type AgentOperationReport = z.infer<typeof AgentOperationReport>;

/** Request for an operation, repeated until the agent reports its start. */
export const PendingOperation = z.object({
  id: z.int(),
  kind: OperationKind,
  params: OperationParams,
  deadline: UnixSeconds.meta({ description: "Deadline, by the server's clock" }),
  seconds: z.int().meta({ description: 'Seconds until the deadline, for an agent whose clock is wrong' }),
});
export type PendingOperation = z.infer<typeof PendingOperation>;
