// Exporters of traces and metrics by OTLP over HTTP, made of the parts that OpenTelemetry's own exporters are made of.
// OpenTelemetry has four packages of exporters, one for each signal and form. The parts read the same variables, and
// send.
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
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { OtlpProtocol } from '../settings/telemetry-settings.ts';

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
export const traceExporter = (protocol: OtlpProtocol): SpanExporter =>
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

export const metricExporter = (protocol: OtlpProtocol): PushMetricExporter =>
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
