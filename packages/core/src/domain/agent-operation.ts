// Operations: what the server asks an agent to do. There are these and no others: no command is ever sent to a host.
import { z } from 'zod';
import { text, UnixFraction, UnixSeconds } from './primitives.ts';

/**
 * `collect_facts`: report every fact anew. `upgrade`: run the hook that the operator of the host has configured.
 * `restart_tailer`: open the followed log files anew.
 */
export const OperationKind = z.enum(['collect_facts', 'upgrade', 'restart_tailer']);
export type OperationKind = z.infer<typeof OperationKind>;

/** `queued`: waits for the agent. `delivered`: handed out. `running`: the agent is at it. The others are ends. */
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

/** What an operation needs to know. */
export const OperationParams = z.object({
  version: text(100)
    .regex(/^[A-Za-z0-9][A-Za-z0-9.+~:-]*$/, 'must be a version: letters, digits and .+~:-')
    .optional()
    .meta({ description: 'With upgrade: the version to go to, handed to the hook' }),
});
export type OperationParams = z.infer<typeof OperationParams>;

/** Whether an operation of a kind can be given its parameters. */
export const paramsFit = ({
  kind,
  params,
}: {
  kind?: OperationKind | undefined;
  params?: OperationParams | undefined;
}) => params?.version === undefined || kind === 'upgrade';

/** What to say where {@link paramsFit} says no. */
export const paramsDoNotFit = { path: ['params', 'version'], message: 'goes with upgrade only' };

/** An operation, as an administrator sees it. */
export const Operation = z.object({
  id: z.int(),
  agent_id: z.int(),
  hostname: z.string(),
  kind: OperationKind,
  params: OperationParams,
  state: OperationState,
  progress: z.int().min(0).max(100),
  detail: z.string().meta({ description: 'What the agent says of it, or why it ended' }),
  created: UnixFraction,
  modified: UnixFraction,
  deadline: UnixSeconds.meta({ description: 'When the present step must be over; 0 once it has ended' }),
  created_by: z.string(),
});
export type Operation = z.infer<typeof Operation>;

/** Seconds for an agent to take an operation, where nobody says. */
export const OPERATION_START_S = 3600;
/** Seconds for it to finish once it began, where nobody says. */
export const OPERATION_RUN_S = 1800;

/** Body of a request for an operation. Each step has its deadline, so that none is in progress for ever. */
export const OperationDraft = z
  .object({
    agent_id: z.int().min(1).max(2_147_483_647),
    kind: OperationKind,
    params: OperationParams.default({}),
    start_within: z
      .int()
      .min(10)
      .max(30 * 86_400)
      .default(OPERATION_START_S)
      .meta({
        description: `Seconds for the agent to take it; default ${OPERATION_START_S}`,
      }),
    run_within: z
      .int()
      .min(10)
      .max(86_400)
      .default(OPERATION_RUN_S)
      .meta({
        description: `Seconds for the agent to finish once it began; default ${OPERATION_RUN_S}`,
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

/** What an agent says of an operation. It says so again until a report was answered. */
export const AgentOperationReport = z.object({
  id: z.int().min(1).max(2_147_483_647),
  state: z.enum(['running', 'succeeded', 'failed']),
  progress: z.int().min(0).max(100).optional(),
  detail: text(1000).optional(),
});
export type AgentOperationReport = z.infer<typeof AgentOperationReport>;

/** What an agent is told to do. It is told so until it reports that it has begun. */
export const PendingOperation = z.object({
  id: z.int(),
  kind: OperationKind,
  params: OperationParams,
  deadline: UnixSeconds.meta({ description: "When it must be over, by the server's clock" }),
  seconds: z.int().meta({ description: 'Seconds left until then: for an agent whose clock is wrong' }),
});
export type PendingOperation = z.infer<typeof PendingOperation>;
