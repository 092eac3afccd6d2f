// Sends traces and metrics by OTLP with the SDK of OpenTelemetry. Only this file and those it imports load the SDK.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import {
  type IExporterMetricsHelper,
  type ISerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  MetricsExporterMetricsHelper,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer';
import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { VERSION } from '../process/version.ts';
import type { OtlpProtocol, TelemetrySettings } from '../settings/telemetry-settings.ts';
import { metricProducer } from './metric-data.ts';
import type { Telemetry } from './telemetry.ts';
import { createTracing } from './tracing.ts';

/** Time for which the end of the server waits for a collector. */
const CLOSE_MS = 3_000;
/** Time between two reports of a collector that cannot be reached. */
const REPORT_EVERY_MS = 60_000;

/** Starts sending. */
export function openTelemetry(settings: TelemetrySettings, log: Logger): Telemetry {
  reportFailures(log);
  // Attributes of the environment win.
  const resource = resourceFromAttributes({
    'service.name': 'quarterdeck',
    'service.version': VERSION,
    'service.instance.id': randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
  const traces = settings.traces ? createTracerProvider(settings, resource) : undefined;
  const tracing = traces && createTracing(traces.getTracer('quarterdeck', VERSION));
  let meters: MeterProvider | undefined;

  return {
    database: (db) => tracing?.database(db) ?? db,
    passwords: (passwords) => tracing?.passwords(passwords) ?? passwords,
    traceRequest: tracing?.traceRequest,
    sendMetrics({ collect }) {
      if (!settings.metrics) return;
      const exporter = metricExporter(settings.metricsProtocol);
      const producer = metricProducer(collect, VERSION);
      const { metricIntervalMs: exportIntervalMillis } = settings;
      const timing = { exportIntervalMillis, exportTimeoutMillis: Math.min(exportIntervalMillis, 30_000) };
      const reader = new PeriodicExportingMetricReader({ exporter, ...timing, metricProducers: [producer] });
      meters = new MeterProvider({ resource, readers: [reader] });
    },
    async close() {
      const ended = Promise.allSettled([traces?.shutdown(), meters?.shutdown()]);
      await Promise.race([ended, delay(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}

function createTracerProvider(settings: TelemetrySettings, resource: Resource): TracerProvider {
  return new TracerProvider({
    resource,
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter: traceExporter(settings.tracesProtocol) })],
  });
}

function samplerOf({ sampler, samplerRatio, followsParent }: TelemetrySettings): Sampler {
  const root = {
    always: () => new AlwaysOnSampler(),
    never: () => new AlwaysOffSampler(),
    ratio: () => new TraceIdRatioBasedSampler(samplerRatio),
  }[sampler]();
  return followsParent ? new ParentBasedSampler({ root }) : root;
}

/**
 * Logs that a collector cannot be reached, once a minute. The texts of the SDK may hold its address, which may hold a
 * password, so only the code of the system is taken from them.
 */
function reportFailures(log: Logger): void {
  let reportedMs = Number.NEGATIVE_INFINITY;
  const report = (...texts: readonly unknown[]) => {
    const nowMs = performance.now();
    if (nowMs - reportedMs < REPORT_EVERY_MS) return;
    reportedMs = nowMs;
    const [reason] = /\bE[A-Z]{3,}\b|\b[45]\d\d\b/.exec(texts.map(String).join(' ')) ?? [];
    log.warn({ reason }, 'traces or metrics could not be sent to the collector of OpenTelemetry');
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    {
      logLevel: DiagLogLevel.WARN,
      suppressOverrideMessage: true,
    },
  );
}

// The exporters are made of the parts that OpenTelemetry's own exporters are made of: it has four packages of them, one
// for each signal and form. The parts read the same variables, and send.

/** One kind of data, by its names in variables, addresses and the measurements that the SDK can make of itself. */
interface Signal<Data, Response> {
  readonly variable: 'TRACES' | 'METRICS';
  readonly path: string;
  readonly component: string;
  readonly serializers: Readonly<Record<OtlpProtocol, ISerializer<Data, Response>>>;
  readonly helper: IExporterMetricsHelper<Data>;
}

const CONTENT_TYPES = { 'http/json': 'application/json', 'http/protobuf': 'application/x-protobuf' } as const;

function exporterOf<Data, Response>(signal: Signal<Data, Response>, protocol: OtlpProtocol): OTLPExporterBase<Data> {
  const { variable, path, component, serializers, helper } = signal;
  const options = convertLegacyHttpOptions({}, variable, path, { 'Content-Type': CONTENT_TYPES[protocol] });
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, serializers[protocol], component, helper, undefined),
  );
}

/** Creates the exporter of traces. */
const traceExporter = (protocol: OtlpProtocol): SpanExporter =>
  exporterOf(
    {
      variable: 'TRACES',
      path: 'v1/traces',
      component: 'otlp_http_span_exporter',
      serializers: { 'http/json': JsonTraceSerializer, 'http/protobuf': ProtobufTraceSerializer },
      helper: TraceExporterMetricsHelper,
    },
    protocol,
  );

const metricExporter = (protocol: OtlpProtocol): PushMetricExporter =>
  exporterOf(
    {
      variable: 'METRICS',
      path: 'v1/metrics',
      component: 'otlp_http_metric_exporter',
      serializers: { 'http/json': JsonMetricsSerializer, 'http/protobuf': ProtobufMetricsSerializer },
      helper: MetricsExporterMetricsHelper,
    },
    protocol,
  );
