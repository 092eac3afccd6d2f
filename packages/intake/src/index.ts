// Bodies over HTTP. Threads that read them load this entrance; syslog has one of its own.

export { jsonParts, linesParts } from './base/body-parts.ts';
export { inflate, inflateLine, readEncoding } from './base/inflate.ts';
export { checkJsonBounds } from './base/json-bounds.ts';
export { LineWarnings, type Warnings } from './base/line-warnings.ts';
export { type BodyForm, LinesBody } from './base/lines-body.ts';
export { RateLimitedReport } from './base/rate-limited-report.ts';
export { MAX_KNOWN, OTHER_NAME, SenderNames } from './base/sender-names.ts';
export { type BulkResult, readBulk, rejectedReply } from './http/bulk.ts';
export {
  type IntakeLine,
  IntakeReading,
  type IntakeResult,
  MAX_INTAKE_LINES,
} from './http/http-lines.ts';
export { readLoki } from './http/loki.ts';
export { readOtlp } from './http/otlp.ts';
export { writeOtlpProtobuf } from './http/otlp-protobuf.ts';
export { dsnOf } from './sentry/envelope.ts';
export type { SeenRelease } from './sentry/reading.ts';
export { readSentryEnvelope, readSentryStore, type SentryResult } from './sentry/sentry.ts';
