import { describe, expect, it } from 'vitest';
import { readTelemetrySettings as read } from './telemetry-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

describe('settings of OpenTelemetry', () => {
  it.each([
    {},
    { OTEL_SERVICE_NAME: 'ours', OTEL_TRACES_SAMPLER: 'nonsense' },
    { ...ENDPOINT, OTEL_SDK_DISABLED: 'true' },
    { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  ])('send nothing: %j', (env) => {
    expect(read(env)).toBeUndefined();
  });

  it('have the defaults of the specification', () => {
    expect(read(ENDPOINT)).toEqual({
      traces: true,
      metrics: true,
      tracesProtocol: 'http/protobuf',
      metricsProtocol: 'http/protobuf',
      sampler: 'always',
      samplerRatio: 1,
      followsParent: true,
      metricIntervalMs: 60_000,
    });
  });

  it('are read for each signal', () => {
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/v1/traces' };
    expect(read(own)).toMatchObject({ traces: true, metrics: false });
    const env = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    };
    expect(read(env)).toMatchObject({
      tracesProtocol: 'http/json',
      metricsProtocol: 'http/protobuf',
      sampler: 'ratio',
      samplerRatio: 0.25,
      followsParent: false,
    });
    expect(read({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toMatchObject({ traces: false, metrics: true });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '-0.5'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '10'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
  ])('refuse %s=%s, and name the variable', (name, value) => {
    expect(() => read({ ...ENDPOINT, [name]: value })).toThrow(name);
  });

  it('never repeat an address, which may hold a password', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://ada:hunter2@collector.example' };
    expect(() => read(env)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('hunter2') }));
  });
});
