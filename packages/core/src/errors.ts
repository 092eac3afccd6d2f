// Every way this service refuses a request, and the one exception that carries a refusal.
// Nobody else writes an HTTP status number.

/**
 * The kind of problem an error reports, and with it the remedy:
 * - `input`: the request is wrong; correct it
 * - `content`: the server read the content and never accepts it; drop it
 * - `credential`: no credential, or none that is valid; get another one
 * - `login`: a password or code was wrong, too often perhaps; a person must act
 * - `permission`: the caller lacks a right
 * - `missing`: the addressed object does not exist
 * - `unsupported`: the server has no such endpoint, or is no Quarterdeck server
 * - `conflict`: the request does not fit the present state
 * - `rate`: the caller sends too much; wait
 * - `server`: the server, or the way to it, has a problem
 */
export type ErrorClass =
  | 'input'
  | 'content'
  | 'credential'
  | 'login'
  | 'permission'
  | 'missing'
  | 'unsupported'
  | 'conflict'
  | 'rate'
  | 'server';

/** One row of {@link ERRORS}. */
export interface ErrorSpec {
  /** HTTP status; also the envelope's `status`. */
  readonly status: number;
  /** One plain sentence for a person, used when the thrower has nothing better to say. */
  readonly message: string;
  /** Whether sending the same request again may succeed without anything being changed by the caller. */
  readonly retryable: boolean;
  /** Set where it differs from the class of the status. */
  readonly class?: ErrorClass;
}

/** `err.code` of a failure envelope -> what it means. The codes are part of the wire and never change meaning. */
export const ERRORS = {
  bad_request: { status: 400, message: 'The request is not well formed.', retryable: false },
  body_missing: { status: 400, message: 'The request has no body. Send a JSON object.', retryable: false },
  malformed_json: { status: 400, message: 'The body is not valid JSON.', retryable: false },
  validation_failed: { status: 400, message: 'The request is not valid.', retryable: false },
  nothing_accepted: { status: 400, message: 'No line of the batch could be read.', retryable: false, class: 'content' },
  credential_missing: { status: 401, message: 'This needs a credential.', retryable: false },
  credential_invalid: { status: 401, message: 'The credential is not valid.', retryable: false },
  session_expired: { status: 401, message: 'The session has expired; sign in again.', retryable: false },
  token_expired: { status: 401, message: 'The API token has expired.', retryable: false },
  // The official client of the production system compares this text.
  login_failed: { status: 401, message: 'incorrect login credentials', retryable: false, class: 'login' },
  otp_required: {
    status: 401,
    message: 'A code of the second factor is needed too.',
    retryable: false,
    class: 'login',
  },
  address_not_allowed: { status: 403, message: 'This API token may not be used from this address.', retryable: false },
  scope_missing: { status: 403, message: 'The API token lacks the scope for this.', retryable: false },
  second_factor_demanded: {
    status: 403,
    message: 'Your role demands a second factor; set one up first.',
    retryable: false,
  },
  reauthentication_required: {
    status: 403,
    message: 'This needs a recent confirmation: send your password to POST /admin-api/user/me/confirm, then repeat it.',
    retryable: false,
  },
  enrollment_used_up: { status: 403, message: 'This enrolment token has no uses left.', retryable: false },
  forbidden: { status: 403, message: 'You may not do this.', retryable: false },
  not_found: { status: 404, message: 'There is no such thing, or you may not see it.', retryable: false },
  unknown_path: { status: 404, message: 'There is nothing at this path.', retryable: false, class: 'unsupported' },
  method_not_allowed: { status: 405, message: 'This path does not answer that method.', retryable: false },
  request_timeout: { status: 408, message: 'The request did not arrive in time.', retryable: true },
  conflict: { status: 409, message: 'This does not fit the present state.', retryable: false },
  idempotency_conflict: {
    status: 409,
    message: 'This Idempotency-Key came with another body before.',
    retryable: false,
    class: 'content',
  },
  token_limit_reached: {
    status: 409,
    message: 'You have as many API tokens as one user may have. Delete one first.',
    retryable: false,
  },
  last_master: { status: 409, message: 'This is the last active master.', retryable: false },
  username_taken: { status: 409, message: 'There already is a user of this name.', retryable: false },
  too_large: { status: 413, message: 'The body is too large.', retryable: false, class: 'content' },
  unsupported_media_type: { status: 415, message: 'The body is of a type that is not read here.', retryable: false },
  headers_too_large: { status: 431, message: 'The headers are too large.', retryable: false },
  too_many_requests: {
    status: 429,
    message: 'Too many requests; wait before trying again.',
    retryable: true,
    class: 'login',
  },
  rate_limited: {
    status: 429,
    message: 'Too many changes with this credential. Wait, then try again.',
    retryable: true,
  },
  stream_limit_reached: {
    status: 429,
    message: 'You have as many event streams open as one user may have. Close one first.',
    retryable: true,
  },
  quota_exceeded: { status: 429, message: 'This source has sent more lines than it may; wait.', retryable: true },
  internal: { status: 500, message: 'Something went wrong on our side.', retryable: false },
  overloaded: { status: 503, message: 'The server is busy; try again shortly.', retryable: true },
  database_busy: { status: 503, message: 'The database is busy; try again shortly.', retryable: true },
  database_unavailable: { status: 503, message: 'The database does not answer; try again shortly.', retryable: true },
  storage_full: { status: 503, message: 'The disk is full; nothing was stored.', retryable: true },
  shutting_down: { status: 503, message: 'The server is stopping.', retryable: true },
} as const satisfies Record<string, ErrorSpec>;

/** A stable snake_case word that says why a request was refused. */
export type ErrorCode = keyof typeof ERRORS;

/** Statuses of temporary failures, for codes that the table does not have. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

const CLASS_OF_STATUS: Readonly<Record<number, ErrorClass>> = {
  401: 'credential',
  403: 'permission',
  404: 'missing',
  405: 'unsupported',
  408: 'server',
  409: 'conflict',
  410: 'missing',
  425: 'server',
  429: 'rate',
};

function errorSpec(code: string): ErrorSpec | undefined {
  return Object.hasOwn(ERRORS, code) ? (ERRORS as Record<string, ErrorSpec>)[code] : undefined;
}

/**
 * Reports whether the same request may succeed later. The status decides for a code of a newer or older server, and for
 * an answer without a code.
 */
export const isRetryable = (status: number, code = ''): boolean =>
  errorSpec(code)?.retryable ?? RETRYABLE_STATUSES.has(status);

/** Classifies an error by its code, or by its status where the table does not have the code. */
export function errorClass(status: number, code = ''): ErrorClass {
  const spec = errorSpec(code);
  return spec?.class ?? classOfStatus(spec?.status ?? status);
}

function classOfStatus(status: number): ErrorClass {
  if (status >= 500) return 'server';
  if (status < 400) return 'unsupported';
  return CLASS_OF_STATUS[status] ?? 'input';
}

/** One field of the input that was refused. */
export interface FieldIssue {
  /** Where, from the outside in: `query.page`, `body.name`, `params.id`. */
  readonly path: string;
  /** What is wrong with it, for a person. */
  readonly message: string;
}

/** Options of {@link AppError}. */
export interface AppErrorOptions {
  /** Replaces the table's sentence. Must not carry a secret, a path of the host, SQL or a stack. */
  readonly message?: string;
  /** More to say, for a person. */
  readonly detail?: string;
  readonly fields?: readonly FieldIssue[];
  /** Seconds for the `Retry-After` header. */
  readonly retryAfterS?: number;
  /** What went wrong underneath; for the log, never for the caller. */
  readonly cause?: unknown;
}

/** A refusal. Thrown anywhere below the pipeline, answered in one place. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly fields: readonly FieldIssue[] | undefined;
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? ERRORS[code].message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.fields = options.fields;
    this.retryAfterS = options.retryAfterS ?? (ERRORS[code].status === 503 ? 1 : undefined);
  }

  /** HTTP status of the answer. */
  get status(): number {
    return ERRORS[this.code].status;
  }
}
