// Runs the example of OpenTelemetry with a tracer that records its spans.
import {
  propagation,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { traceAttempts } from '../examples/opentelemetry.ts';
import { createClient } from '../src/index.ts';
import { answering, dataOf, refusalOf } from './answering.ts';
import { steppedClock } from './stepped-clock.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

/** A tracer whose n-th span has the id n; `spans` are what the example gave them. */
function recorder(): { tracer: Tracer; spans: object[] } {
  const spans: object[] = [];
  const startSpan = (name: string, { attributes = {} }: SpanOptions = {}): Span => {
    const recorded = { name, attributes: { ...attributes }, status: undefined as unknown, isEnded: false };
    const spanId = spans.push(recorded).toString(16).padStart(16, '0');
    const span: Partial<Span> = {
      spanContext: () => ({ traceId: TRACE_ID, spanId, traceFlags: TraceFlags.SAMPLED }),
      setAttribute(key, value) {
        recorded.attributes[key] = value;
        return span as Span;
      },
      setStatus(status) {
        recorded.status = status;
        return span as Span;
      },
      end() {
        recorded.isEnded = true;
      },
    };
    return span as Span;
  };
  return { tracer: { startSpan } as Partial<Tracer> as Tracer, spans };
}

beforeEach(() => {
  // The form of W3C Trace Context, as the propagator of the SDK of OpenTelemetry writes it.
  propagation.setGlobalPropagator({
    inject(context, carrier, setter) {
      const { traceId = '', spanId = '', traceFlags = 0 } = trace.getSpanContext(context) ?? {};
      setter.set(carrier, 'traceparent', `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`);
    },
    extract: (context) => context,
    fields: () => ['traceparent'],
  });
});
afterEach(() => propagation.disable());

it('records a span for each attempt and sends its context', async () => {
  const { tracer, spans } = recorder();
  const { fetch, sent } = answering((_, number) =>
    number === 1 ? refusalOf('overloaded') : dataOf({}, { 'x-request-id': 'r2' }),
  );
  const onAttempt = traceAttempts(tracer);
  await createClient({ url: 'https://host', fetch, clock: steppedClock(), onAttempt }).user.me();

  const attributes = {
    'http.request.method': 'GET',
    'server.address': 'host',
    'server.port': 443,
    'url.full': 'https://host/admin-api/user/me',
  };
  const refused = { code: SpanStatusCode.ERROR, message: 'The server is busy. Try again shortly.' };
  const [first, second] = [
    { 'http.request.resend_count': 0, 'http.response.status_code': 503, 'error.type': 'overloaded' },
    { 'http.request.resend_count': 1, 'http.response.status_code': 200, 'http.response.header.x-request-id': ['r2'] },
  ];
  expect(spans).toMatchObject([
    { name: 'GET', attributes: { ...attributes, ...first }, status: refused, isEnded: true },
    { name: 'GET', attributes: { ...attributes, ...second }, status: undefined, isEnded: true },
  ]);
  expect(sent.map(({ headers }) => headers['traceparent'])).toEqual([
    `00-${TRACE_ID}-0000000000000001-01`,
    `00-${TRACE_ID}-0000000000000002-01`,
  ]);
});
