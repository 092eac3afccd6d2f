// Agents: programs on the hosts of the fleet that report facts (specification 2.4).
import * as z from 'zod';
import { AGENT_STATES } from '../base/agent-states.ts';
import { AgentOperationReport, PendingOperation } from './agent-operation.ts';
import { HOST_CERTIFICATES_MAX, HostCertificate } from './host-certificate.ts';
import { HOST_CHANGES_MAX, HostChange } from './host-change.ts';
import { nameText, text, UnixFraction, UnixSeconds } from './primitives.ts';
import { AgentVitals } from './vitals.ts';

const Progress = z.object({ current: z.int().min(0).max(100), detail: text(1000) });
const Package = z.object({ version: z.int().min(0), timestamp: UnixSeconds });
const Dependency = z.object({ stap_version: text(200), odb_version: text(200) });
const SystemVersion = z.object({
  kernel_package: text(200),
  kernel_bid: text(200),
  kernel_distro: text(200),
  libc: text(200),
  kernel: text(200),
});

export const AgentState = z.enum(AGENT_STATES);
export type AgentState = z.infer<typeof AgentState>;

/**
 * Reason of the state. `registered`: no report yet. `server_restarted`: this server was down or its clock was set, so
 * agents get time to report. `reporting`: healthy. `lost`: went silent. `shut_down`: reported its shutdown.
 * `never_reported`: registered, then silent. `deleted`: removed by a person.
 */
export const AGENT_REASONS = [
  'registered',
  'server_restarted',
  'reporting',
  'lost',
  'shut_down',
  'never_reported',
  'deleted',
] as const;
export const AgentReason = z.enum(AGENT_REASONS);
export type AgentReason = z.infer<typeof AgentReason>;

const LABELS_MAX = 50;

/** The name of a label. */
export const LabelName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/, 'must be letters, digits and ._/- (63 at most)');

/** The value of a label. Filters separate labels with commas. */
export const LabelValue = text(200).refine((value) => !value.includes(','), { message: 'must not contain a comma' });

/** Labels of an agent: names that an administrator gives, with values that may be empty. */
export const AgentLabels = z
  .record(LabelName, LabelValue)
  .refine((labels) => Object.keys(labels).length <= LABELS_MAX, { message: `at most ${LABELS_MAX} labels` });
export type AgentLabels = z.infer<typeof AgentLabels>;

/** Files in the report of an agent whose lines do not tell their time or level, and characters of a path. */
export const UNCLEAR_FILES_MAX = 20;
export const UNCLEAR_PATH_MAX = 500;

const Lines = z.int().min(0);

/** Status of an agent's log shipping. */
export const AgentShipper = z.object({
  files: z.int().min(0).meta({ description: 'Number of followed files' }),
  files_refused: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Files that match a pattern and are refused: links that lead elsewhere, pipes, devices' }),
  lines: z.int().min(0).meta({ description: 'Lines acknowledged since the start' }),
  bytes_waiting: z.int().min(0).meta({ description: 'Unsent bytes on its disk' }),
  lines_dropped: z.int().min(0).meta({ description: 'Lost lines' }),
  lines_refused: z.int().min(0).meta({ description: 'Lines the server could not read' }),
  unclear_files: z
    .array(
      z.object({
        path: text(UNCLEAR_PATH_MAX),
        lines: Lines.meta({ description: 'Lines read since the start' }),
        lines_without_time: Lines.meta({ description: 'Of these, lines that have the time of their reading' }),
        lines_without_level: Lines.meta({ description: 'Of these, lines without a known level' }),
      }),
    )
    .max(UNCLEAR_FILES_MAX)
    .optional()
    .meta({ description: 'Files whose lines do not tell their time or level, the most such lines first' }),
});
export type AgentShipper = z.infer<typeof AgentShipper>;

/** An agent in the console's list. The fields after `system_version` come with `detail=1`. */
export const Agent = z.object({
  id: z.int(),
  node_id: z.string(),
  hostname: z.string(),
  ip: z.string(),
  env: z.string().meta({ description: 'host, vm, container, kubernetes, unknown, or another value of the agent' }),
  online: z.boolean(),
  is_deleted: z.boolean(),
  bad_kernel: z.boolean(),
  catch_transient_event: z.boolean(),
  autorun_tools: z.boolean(),
  note: z.string(),
  system_name: z.string(),
  created: UnixFraction,
  modified: UnixFraction,
  last_reported: UnixSeconds,
  progress: z.object({ current: z.int(), detail: z.string() }),
  package: Package,
  dependency: z.object({ stap_version: z.string(), odb_version: z.string() }),
  system_version: z.object({
    kernel_package: z.string(),
    kernel_bid: z.string(),
    kernel_distro: z.string(),
    libc: z.string(),
    kernel: z.string(),
  }),
  interval: z.int().optional().meta({ description: 'Seconds between reports' }),
  state: AgentState.optional(),
  reason: AgentReason.optional().meta({ description: 'Reason of the state' }),
  state_since: UnixSeconds.optional(),
  maintenance: z.boolean().optional().meta({ description: 'Suppresses notifications about its state' }),
  labels: z.record(z.string(), z.string()).optional(),
  bad_kernel_reason: z.string().optional().meta({ description: 'Reason of the rule that its kernel matches' }),
  cloned: z.boolean().optional().meta({ description: 'True while two live hosts have this node_id' }),
  boot_time: UnixSeconds.optional().meta({ description: 'Boot time of the host, by its own clock; 0 = unknown' }),
  started: UnixSeconds.optional().meta({ description: 'Start of the agent, by its own clock; 0 = unknown' }),
  shipper: AgentShipper.nullable().optional().meta({ description: 'Status of its log shipping; null = unknown' }),
  enrollment_id: z.int().optional().meta({ description: 'Enrollment token of its registration; 0 = an API token' }),
  unknown: z.array(z.string()).optional().meta({
    description: 'With `at`: fields whose values of that time are not known; those shown are later ones',
  }),
});
export type Agent = z.infer<typeof Agent>;

const facts = {
  hostname: nameText(255).min(1),
  ip: text(64).optional(),
  env: text(32).optional(),
  system_name: text(200).optional(),
  bad_kernel: z.boolean().optional(),
  catch_transient_event: z.boolean().optional(),
  autorun_tools: z.boolean().optional(),
  progress: Progress.partial().optional(),
  package: Package.partial().optional(),
  dependency: Dependency.partial().optional(),
  system_version: SystemVersion.partial().optional(),
  boot_time: UnixSeconds.optional(),
  started: UnixSeconds.optional(),
};

/** Facts of a host at its registration. */
export const AgentRegistration = z.object({
  node_id: text(200).min(1),
  ...facts,
  force: z.boolean().optional().meta({
    description: 'Replace an online agent with this node_id, whose secret ends; requires agent:write',
  }),
});
export type AgentRegistration = z.infer<typeof AgentRegistration>;

/** Facts of a later report: any of them, `{}` included; absent ones stay unchanged. */
export const AgentFacts = z.object({
  ...facts,
  hostname: facts.hostname.optional(),
  shipper: AgentShipper.optional(),
  operations: z.array(AgentOperationReport).max(100).optional(),
  changes: z.array(HostChange).max(HOST_CHANGES_MAX).optional(),
  certificates: z.array(HostCertificate).max(HOST_CERTIFICATES_MAX).optional().meta({
    description: 'All certificates that it watches, those that expire first',
  }),
  vitals: AgentVitals.optional().meta({ description: 'How busy the host is; the first report of a minute counts' }),
  hash_key: text(16).optional().meta({
    description: 'Name of the key of hashes of files that it has: half of the SHA-256 of its bytes; empty = none',
  }),
});
export type AgentFacts = z.infer<typeof AgentFacts>;

/** Answer to a registration. `secret` is shown only here. */
export const AgentEnrolled = z.object({
  id: z.int(),
  secret: z.string(),
  interval: z.int().meta({ description: 'Seconds between reports' }),
});
export type AgentEnrolled = z.infer<typeof AgentEnrolled>;

/** Settings that an administrator decides for an agent. */
export const AgentSettings = z.object({ catch_transient_event: z.boolean(), autorun_tools: z.boolean() });
export type AgentSettings = z.infer<typeof AgentSettings>;

/** Answer to the report of an agent. */
export const HeartbeatResponse = z.object({
  interval: z.int().meta({ description: 'Seconds until the next report' }),
  settings: AgentSettings.optional().meta({ description: 'Settings of an administrator; absent = none' }),
  operations: z.array(PendingOperation).optional().meta({ description: 'Requested operations; absent = none' }),
  hash_key: z.string().optional().meta({
    description:
      'Key of the installation for hashes of files, 32 bytes in base64url; absent = it has this one, or asked for none',
  }),
  changes_stored: z.int().optional().meta({ description: 'Changes up to this number are stored; absent = none sent' }),
});
export type HeartbeatResponse = z.infer<typeof HeartbeatResponse>;

const change = {
  note: text(2000).optional(),
  labels: AgentLabels.optional().meta({ description: 'All labels: others are removed' }),
  catch_transient_event: z.boolean().optional(),
  autorun_tools: z.boolean().optional(),
  maintenance: z.boolean().optional(),
};
const CHANGE_FIELDS = Object.keys(change);

const changesSomething = (body: object) =>
  Object.entries(body).some(([name, value]) => CHANGE_FIELDS.includes(name) && value !== undefined);
const nothingToChange = { message: `give at least one of ${CHANGE_FIELDS.join(', ')}` };

/** Change of an agent by a person: absent fields stay unchanged. */
export const AgentChange = z
  .object(change)
  .refine(changesSomething, nothingToChange)
  .meta({
    examples: [
      { note: '' },
      {
        note: 'spare gateway',
        labels: { site: 'north', tier: '' },
        catch_transient_event: true,
        autorun_tools: false,
        maintenance: true,
      },
    ],
  });
export type AgentChange = z.infer<typeof AgentChange>;

/** Fields of {@link AgentChange}, for changes of many. */
export const agentChangeFields = change;

/** Reports whether a body has any field of {@link AgentChange}. */
export const hasAgentChange = changesSomething;

/**
 * Milliseconds after its last report for which an agent counts as online: twice its interval and half a minute. Always
 * measured by the server's clock.
 */
export const onlineWithinMs = (intervalS: number): number => (2 * intervalS + 30) * 1000;
