// Vitals of a host: how busy its processors, its memory and its disks are.
import * as z from 'zod';
import { INT_MAX } from '../base/integer.ts';
import { queryInt, text, UnixSeconds } from './primitives.ts';

/** File systems in a report at most. */
export const VITALS_DISKS_MAX = 32;
/** File systems that the server keeps of a report: the fullest ones. */
export const VITALS_DISKS_KEPT = 6;
/** Days for which vitals are kept. */
export const VITALS_DAYS = 14;

const Percent = z.number().min(0).max(100);
const Bytes = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const Count = z.int().min(0).max(INT_MAX);
const Load = z.number().min(0).max(1_000_000);

const fields = {
  cpu: Percent.meta({ description: 'Busy share of the processors since the report before, percent' }),
  memory: Percent.meta({ description: 'Memory that programs cannot get, percent' }),
  swap: Percent.meta({ description: 'Used swap, percent; 0 without swap' }),
  load: z.array(Load).length(3).meta({ description: 'Load of 1, 5 and 15 minutes' }),
  cores: z.int().min(1).max(65_536).meta({ description: 'Processors, by which the load is judged' }),
  uptime: z.int().min(0).max(4_294_967_295).meta({ description: 'Seconds since the boot' }),
  fds: Count.meta({ description: 'Open file descriptors of the host' }),
  tcp: Count.meta({ description: 'TCP connections in use' }),
};

const Disk = z.object({ used: Bytes, free: Bytes }).meta({ description: 'Bytes' });

/** Vitals in the report of an agent: any of them. */
export const AgentVitals = z
  .object({
    ...fields,
    disk: z
      .record(text(200).min(1), Disk)
      .refine((disks) => Object.keys(disks).length <= VITALS_DISKS_MAX, {
        message: `at most ${VITALS_DISKS_MAX} disks`,
      })
      .meta({ description: 'Used and free bytes of file systems, by their mount points' }),
  })
  .partial();
export type AgentVitals = z.infer<typeof AgentVitals>;

/** Vitals of one minute. What the agent did not tell is null. */
export const VitalsSample = z.object({
  time: UnixSeconds.meta({ description: "Start of the minute, by the server's clock" }),
  cpu: fields.cpu.nullable(),
  memory: fields.memory.nullable(),
  swap: fields.swap.nullable(),
  disk: z.record(z.string(), Disk).meta({ description: 'The fullest file systems, by their mount points' }),
  load: fields.load.nullable(),
  cores: fields.cores.nullable(),
  uptime: fields.uptime.nullable(),
  fds: fields.fds.nullable(),
  tcp: fields.tcp.nullable(),
});
export type VitalsSample = z.infer<typeof VitalsSample>;

const time = queryInt(0, Number.MAX_SAFE_INTEGER).optional();

/** Span of vitals that is read. */
export const VitalsSpan = z.object({
  start_time: time.meta({ description: 'Unix seconds; default: an hour before the end' }),
  end_time: time.meta({ description: 'Unix seconds; default: now' }),
});

/** Vitals of a span, oldest first. */
export const VitalsList = z.object({
  data: z.array(VitalsSample),
  meta: z.object({
    count: z.int(),
    start_time: UnixSeconds.meta({ description: 'Start of the span that was read' }),
    end_time: UnixSeconds,
  }),
});
