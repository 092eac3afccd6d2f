// Agents: the programs that run on the fleet's hosts and report what they are (specification 2.4).
import { z } from 'zod';
import { text, UnixFraction, UnixSeconds } from './primitives.ts';

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

/** An agent as the console lists it. */
export const Agent = z.object({
  id: z.int(),
  node_id: z.string(),
  hostname: z.string(),
  ip: z.string(),
  env: z.string().meta({ description: 'host, vm, container, kubernetes, unknown or what the agent said' }),
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
  interval: z.int().optional().meta({ description: 'Seconds between reports; with detail=1' }),
});
export type Agent = z.infer<typeof Agent>;

const facts = {
  hostname: text(255).min(1),
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
};

/** What an agent says of its host when it registers. */
export const AgentRegistration = z.object({ node_id: text(200).min(1), ...facts });
export type AgentRegistration = z.infer<typeof AgentRegistration>;

/** What an agent says of its host later: any of the facts, `{}` included. What is absent stays as it is. */
export const AgentFacts = z.object({ ...facts, hostname: facts.hostname.optional() });
export type AgentFacts = z.infer<typeof AgentFacts>;

/** The answer to a registration. `secret` is shown this once. */
export const AgentEnrolled = z.object({
  id: z.int(),
  secret: z.string(),
  interval: z.int().meta({ description: 'Seconds between reports' }),
});
export type AgentEnrolled = z.infer<typeof AgentEnrolled>;

/** The answer to a report. */
export const AgentOrders = z.object({ interval: z.int().meta({ description: 'Seconds until the next report' }) });
export type AgentOrders = z.infer<typeof AgentOrders>;

/**
 * How long after its last report an agent counts as online: twice its interval and half a minute.
 * Always measured by the server's clock.
 */
export const onlineWithinMs = (intervalS: number): number => (2 * intervalS + 30) * 1000;
