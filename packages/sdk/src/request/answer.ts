// Reads an HTTP answer: the data in its envelope, or the error it stands for.
import type { FieldIssue } from '@quarterdeck/core/plain';
import { ApiError, type Target, UnexpectedAnswerError } from './errors.ts';
import type { HttpAnswer } from './http-answer.ts';
import { parseRetryAfter } from './retry.ts';
import type { AnswerSchema } from './route.ts';
import { excerpt, redact } from './text.ts';

/** Properties of a request that reading its answer needs. */
export interface RequestContext {
  readonly target: Target;
  /** Secrets of the request; masked in every text taken from the answer. */
  readonly secrets: readonly string[];
  /** True when the request had a body, which an answer might repeat. */
  readonly hasBody: boolean;
  readonly nowMs: number;
}

/** A successful answer. */
export interface Answer {
  /** `data` of the envelope, as on the wire. */
  readonly data: unknown;
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
}

/**
 * Reads an answer to the end.
 *
 * @throws ApiError for a refusal, UnexpectedAnswerError for anything that is not an envelope
 */
export async function readAnswer(response: HttpAnswer, question: RequestContext): Promise<Answer> {
  if (isRedirect(response)) return refuseRedirect(response, question);
  const text = await response.text();
  const envelope = parseEnvelope(text);
  if (envelope === undefined) throw unexpected('not an envelope', response, question, text);
  if (envelope.status !== 0) throw refusalOf(envelope, response, question);
  if (!response.ok) throw unexpected('a success in the envelope of a failure', response, question, text);
  return { data: envelope['data'], status: response.status, headers: response.headers };
}

/**
 * Describes the first violation of the contract in the data of an answer; undefined when there is none. For clients
 * that check answers.
 */
export function checkData(data: unknown, schema: AnswerSchema): string | undefined {
  const { error } = schema.safeParse(data);
  if (error === undefined) return undefined;
  const issues = error.issues.map(({ path, message }) => `${['data', ...path].join('.')}: ${message}`);
  return `the data does not fit the contract: ${issues.slice(0, 3).join('; ')}`;
}

/** Creates the error for an answer that violates the protocol. `text` is the part of it that may be repeated. */
export function unexpected(
  reason: string,
  response: HttpAnswer,
  question: RequestContext,
  text = '',
): UnexpectedAnswerError {
  return new UnexpectedAnswerError(
    {
      reason,
      status: response.status,
      contentType: response.headers.get('content-type') ?? undefined,
      text: question.hasBody ? '' : excerpt(redact(text, question.secrets)),
      retryAfterMs: retryAfter(response, question),
    },
    question.target,
  );
}

// A browser hides the target of a redirect, and everything but its type.
const isRedirect = (response: HttpAnswer): boolean =>
  response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);

/** Refuses redirects: the credential is for the configured origin only. */
async function refuseRedirect(response: HttpAnswer, question: RequestContext): Promise<never> {
  await response.body?.cancel();
  throw unexpected(`a redirect${redirectTarget(response, question)}`, response, question);
}

function redirectTarget(response: HttpAnswer, { target, secrets }: RequestContext): string {
  const location = response.headers.get('location');
  if (location === null || !URL.canParse(location, target.url)) return '';
  const { origin, pathname } = new URL(location, target.url);
  return ` to ${excerpt(redact(`${origin}${pathname}`, secrets))}`;
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

/** The types of this client allow no other name, so a server that does not know one is older. */
const OLDER_SERVER = 'If the name is right, the server is older than this client: upgrade it, or leave the field out.';

function refusalOf(envelope: Envelope, response: HttpAnswer, question: RequestContext): ApiError {
  const { status: envelopeStatus, msg } = envelope;
  const err = isRecord(envelope['err']) ? envelope['err'] : {};
  const readable = (value: unknown) => (typeof value === 'string' ? redact(value, question.secrets) : undefined);
  const message = readable(msg) || `The server refused with status ${envelopeStatus} and gave no reason.`;
  const code = codeOf(err['code'], question.secrets);
  return new ApiError(
    {
      status: response.ok && envelopeStatus >= 400 && envelopeStatus < 600 ? envelopeStatus : response.status,
      code,
      message: code === 'unknown_field' ? `${message} ${OLDER_SERVER}` : message,
      detail: readable(err['detail']),
      fields: fieldsOf(err['fields'], readable),
      requestId: readable(err['request_id'] ?? response.headers.get('x-request-id')),
      retryAfterMs: retryAfter(response, question),
      current: redactAll(err['current'], question.secrets),
    },
    question.target,
  );
}

/** A code is passed on as it is: a program compares it. Anything but a word, or a secret, is no code. */
function codeOf(value: unknown, secrets: readonly string[]): string {
  const isCode = typeof value === 'string' && /^[a-z][a-z0-9_]*$/.test(value) && redact(value, secrets) === value;
  return isCode ? value : 'unknown';
}

/** Masks secrets in all texts of a value from JSON. */
const redactAll = (value: unknown, secrets: readonly string[]): unknown =>
  value === undefined
    ? undefined
    : JSON.parse(JSON.stringify(value), (_, part) => (typeof part === 'string' ? redact(part, secrets) : part));

function fieldsOf(value: unknown, readable: (value: unknown) => string | undefined): FieldIssue[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((field) => ({
    path: readable(field['path']) ?? '',
    message: readable(field['message']) ?? '',
  }));
}

function retryAfter({ headers }: HttpAnswer, { nowMs }: RequestContext): number | undefined {
  // Measured by the server's own clock when the answer has a Date.
  const serverMs = Date.parse(headers.get('date') ?? '');
  return parseRetryAfter(headers.get('retry-after'), Number.isNaN(serverMs) ? nowMs : serverMs);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
