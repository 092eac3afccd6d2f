// Settings of OpenTelemetry: those of its variables that its SDK for Node leaves to the program.
import { type Environment, readVariable } from '@quarterdeck/core/environment';
import { z } from 'zod';

/** Form of the messages. */
export type OtlpProtocol = 'http/protobuf' | 'http/json';

/** Settings of OpenTelemetry, by the names of its specification. */
export interface TelemetrySettings {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly tracesProtocol: OtlpProtocol;
  readonly metricsProtocol: OtlpProtocol;
  readonly sampler: 'always' | 'never' | 'ratio';
  /** Share of the traces for the sampler `ratio`. */
  readonly samplerRatio: number;
  /** The caller of a request that brings a trace decides whether it is recorded. */
  readonly followsParent: boolean;
  /** Milliseconds between two messages with metrics. */
  readonly metricIntervalMs: number;
}

const OTLP = 'OTEL_EXPORTER_OTLP';
const otelAddress = (name: string) => ({
  name,
  allowed: 'an http:// or https:// address',
  schema: z.url({ protocol: /^https?$/ }).optional(),
  secret: true as const,
});
const otelProtocol = (name: string) => ({
  name,
  allowed: 'http/protobuf or http/json; grpc is not supported',
  schema: z.enum(['http/protobuf', 'http/json']).optional(),
});
const otelExporter = (name: string) => ({
  name,
  allowed: 'otlp or none',
  schema: z.enum(['otlp', 'none']).default('otlp'),
});
const OTEL_DISABLED = {
  name: 'OTEL_SDK_DISABLED',
  allowed: 'true or false',
  schema: z.enum(['true', 'false']).default('false'),
};
const OTEL_SAMPLER = {
  name: 'OTEL_TRACES_SAMPLER',
  allowed: 'always_on, always_off or traceidratio, also with parentbased_ before it',
  schema: z
    .string()
    .regex(/^(parentbased_)?(always_on|always_off|traceidratio)$/)
    .default('parentbased_always_on'),
};
const OTEL_RATIO = {
  name: 'OTEL_TRACES_SAMPLER_ARG',
  allowed: 'a number, 0 to 1',
  schema: z
    .string()
    .regex(/^\d*\.?\d+$/)
    .transform(Number)
    .pipe(z.number().max(1))
    .default(1),
};
const OTEL_INTERVAL = {
  name: 'OTEL_METRIC_EXPORT_INTERVAL',
  allowed: 'whole milliseconds, 1000 to 3600000',
  schema: z
    .string()
    .regex(/^\d{4,7}$/)
    .transform(Number)
    .pipe(z.int().min(1_000).max(3_600_000))
    .default(60_000),
};
const SAMPLERS = { always_on: 'always', always_off: 'never', traceidratio: 'ratio' } as const;

/**
 * Reads the settings of OpenTelemetry; undefined where nothing is to be sent. Its exporters read the others of their
 * own variables themselves: address, headers, time limit, certificates, and attributes of the resource.
 *
 * @throws ConfigError for the first invalid value
 */
export function readTelemetrySettings(env: Environment): TelemetrySettings | undefined {
  if (readVariable(env, OTEL_DISABLED) === 'true') return undefined;
  const common = readVariable(env, otelAddress(`${OTLP}_ENDPOINT`));
  const protocol = readVariable(env, otelProtocol(`${OTLP}_PROTOCOL`)) ?? 'http/protobuf';
  const isSent = (signal: 'TRACES' | 'METRICS') => {
    const own = readVariable(env, otelAddress(`${OTLP}_${signal}_ENDPOINT`));
    return (own ?? common) !== undefined && readVariable(env, otelExporter(`OTEL_${signal}_EXPORTER`)) === 'otlp';
  };
  const [traces, metrics] = [isSent('TRACES'), isSent('METRICS')];
  if (!traces && !metrics) return undefined;
  const sampler = readVariable(env, OTEL_SAMPLER);
  return {
    traces,
    metrics,
    tracesProtocol: readVariable(env, otelProtocol(`${OTLP}_TRACES_PROTOCOL`)) ?? protocol,
    metricsProtocol: readVariable(env, otelProtocol(`${OTLP}_METRICS_PROTOCOL`)) ?? protocol,
    sampler: SAMPLERS[sampler.replace('parentbased_', '') as keyof typeof SAMPLERS],
    samplerRatio: readVariable(env, OTEL_RATIO),
    followsParent: sampler.startsWith('parentbased_'),
    metricIntervalMs: readVariable(env, OTEL_INTERVAL),
  };
}
