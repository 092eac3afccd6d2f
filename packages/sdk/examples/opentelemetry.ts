// OpenTelemetry: a span for each attempt at a request, whose context travels to the server as `traceparent`.
import { context, propagation, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { type AttemptEnd, type AttemptInfo, isApiError } from '@quarterdeck/sdk';

/** Returns the `onAttempt` of a client: `createClient({ url, apiToken, onAttempt: traceAttempts() })`. */
export function traceAttempts(tracer: Tracer = trace.getTracer('@quarterdeck/sdk')) {
  return ({ method, url, attempt, headers }: AttemptInfo): AttemptEnd => {
    const { hostname, port, protocol } = new URL(url);
    const span = tracer.startSpan(method, {
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': method,
        'http.request.resend_count': attempt - 1,
        'server.address': hostname,
        'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
        'url.full': url,
      },
    });
    propagation.inject(trace.setSpan(context.active(), span), headers);
    return ({ status, requestId, error }) => {
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      if (requestId !== undefined) span.setAttribute('http.response.header.x-request-id', [requestId]);
      if (error !== undefined) {
        span.setAttribute('error.type', isApiError(error) ? error.code : error.name);
        span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
      }
      span.end();
    };
  };
}
