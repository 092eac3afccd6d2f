// From an HTTP answer to the data in its envelope, or to the error it stands for.
import type { Endpoint, FieldIssue } from '@quarterdeck/core';
import { ApiError, type Target, UnexpectedAnswerError } from './errors.ts';
import { parseRetryAfter } from './retry.ts';
import { excerpt, redact } from './text.ts';
import type { HttpAnswer } from './transport.ts';

/** What is to be known of a request to read its answer. */
export interface Question {
  readonly target: Target;
  /** The credential it was sent with; blotted out of whatever is repeated of the answer. */
  readonly secret: string | undefined;
  /** Whether it had a body, which an answer might repeat. */
  readonly hasBody: boolean;
  readonly nowMs: number;
}

/** A success. */
export interface Answer {
  /** `data` of the envelope, as on the wire. */
  readonly data: unknown;
  readonly headers: HttpAnswer['headers'];
}

/**
 * Reads an answer to the end.
 * @throws ApiError for a refusal, UnexpectedAnswerError for anything that is not an envelope.
 */
export async function readAnswer(response: HttpAnswer, question: Question): Promise<Answer> {
  if (isRedirect(response)) return refuseRedirect(response, question);
  const text = await response.text();
  const envelope = parseEnvelope(text);
  if (envelope === undefined) throw unexpected('not an envelope', response, question, text);
  if (envelope.status !== 0) throw refusalOf(envelope, response, question);
  if (!response.ok) throw unexpected('a success in the envelope of a failure', response, question, text);
  return { data: envelope['data'], headers: response.headers };
}

/** Says what is wrong with the data of an answer, if something is; for clients that check answers. */
export function checkData(data: unknown, schema: Endpoint['data']): string | undefined {
  const result = schema.safeParse(data);
  if (result.success) return undefined;
  const issues = result.error.issues.map(({ path, message }) => `${['data', ...path].join('.')}: ${message}`);
  return `the data does not fit the contract: ${issues.slice(0, 3).join('; ')}`;
}

/** An answer that is not what it should be. `text` is what of it may be repeated. */
export function unexpected(reason: string, response: HttpAnswer, question: Question, text = ''): UnexpectedAnswerError {
  return new UnexpectedAnswerError(
    {
      reason,
      status: response.status,
      contentType: response.headers.get('content-type') ?? undefined,
      text: question.hasBody ? '' : excerpt(redact(text, question.secret)),
      retryAfterMs: retryAfter(response, question),
    },
    question.target,
  );
}

// A browser hides where a redirect leads, and that it is one but for its type.
const isRedirect = (response: HttpAnswer): boolean =>
  response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);

/** Redirects are not followed: the credential is meant for the configured origin and nobody else. */
async function refuseRedirect(response: HttpAnswer, question: Question): Promise<never> {
  await response.body?.cancel();
  throw unexpected(`a redirect${redirectTarget(response, question)}`, response, question);
}

function redirectTarget(response: HttpAnswer, { target, secret }: Question): string {
  const location = response.headers.get('location');
  if (location === null || !URL.canParse(location, target.url)) return '';
  const { origin, pathname } = new URL(location, target.url);
  return ` to ${excerpt(redact(`${origin}${pathname}`, secret))}`;
}

type Envelope = Readonly<Record<string, unknown>> & { readonly status: number };

function parseEnvelope(text: string): Envelope | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) && Number.isInteger(body['status']) ? (body as Envelope) : undefined;
  } catch {
    return undefined;
  }
}

function refusalOf(envelope: Envelope, response: HttpAnswer, question: Question): ApiError {
  const { status: said, msg } = envelope;
  const err = isRecord(envelope['err']) ? envelope['err'] : {};
  const readable = (value: unknown) => (typeof value === 'string' ? redact(value, question.secret) : undefined);
  const code = readable(err['code']) ?? 'unknown';
  return new ApiError(
    {
      status: response.ok && said >= 400 && said < 600 ? said : response.status,
      code,
      message: readable(msg) || `The server refused with status ${said} and said nothing.`,
      detail: readable(err['detail']),
      fields: fieldsOf(err['fields'], readable),
      requestId: readable(err['request_id'] ?? response.headers.get('x-request-id')),
      retryAfterMs: retryAfter(response, question),
    },
    question.target,
  );
}

function fieldsOf(value: unknown, readable: (value: unknown) => string | undefined): FieldIssue[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((field) => ({
    path: readable(field['path']) ?? '',
    message: readable(field['message']) ?? '',
  }));
}

function retryAfter({ headers }: HttpAnswer, { nowMs }: Question): number | undefined {
  // Seen from the server's own clock where it says what that shows.
  const serverMs = Date.parse(headers.get('date') ?? '');
  return parseRetryAfter(headers.get('retry-after'), Number.isNaN(serverMs) ? nowMs : serverMs);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
