// Every error of this service, and the exception that carries one. No other file writes an HTTP status number.

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
  /** One plain sentence for people; a thrower may replace it with a better one. */
  readonly message: string;
  /** True when the same request may succeed later without a change by the caller. */
  readonly retryable: boolean;
  /** Set where it differs from the class of the status. */
  readonly class?: ErrorClass;
}

/** `err.code` of a failure envelope -> its meaning. The codes are part of the wire and never change meaning. */
export const ERRORS = {
  bad_request: { status: 400, message: 'The request is malformed.', retryable: false },
  body_missing: { status: 400, message: 'The request has no body. Send a JSON object.', retryable: false },
  malformed_json: { status: 400, message: 'The body is not valid JSON. Send a JSON object.', retryable: false },
  validation_failed: {
    status: 400,
    message: 'The request is not valid. Correct the listed fields.',
    retryable: false,
  },
  nothing_accepted: {
    status: 400,
    message: 'No line of the batch could be read; nothing was stored.',
    retryable: false,
    class: 'content',
  },
  credential_missing: {
    status: 401,
    message: 'A credential is required. Sign in, or send an API token.',
    retryable: false,
  },
  credential_invalid: {
    status: 401,
    message: 'The credential is not valid or was revoked. Sign in again, or send another token.',
    retryable: false,
  },
  session_expired: { status: 401, message: 'Your session has ended. Sign in again.', retryable: false },
  token_expired: { status: 401, message: 'The token has expired. Create a new one.', retryable: false },
  // The official client of the production system compares this text.
  login_failed: { status: 401, message: 'incorrect login credentials', retryable: false, class: 'login' },
  otp_required: {
    status: 401,
    message: 'Your second factor is required. Enter the one-time code.',
    retryable: false,
    class: 'login',
  },
  address_not_allowed: { status: 403, message: 'This API token cannot be used from this address.', retryable: false },
  scope_missing: { status: 403, message: 'The API token lacks the scope for this request.', retryable: false },
  second_factor_demanded: {
    status: 403,
    message: 'Your role requires a second factor. Set one up first.',
    retryable: false,
  },
  reauthentication_required: {
    status: 403,
    message: 'Confirm your password first: send it to POST /admin-api/user/me/confirm, then repeat this request.',
    retryable: false,
  },
  enrollment_used_up: {
    status: 403,
    message: 'This enrolment token has no uses left. Create a new one.',
    retryable: false,
  },
  forbidden: { status: 403, message: 'You do not have permission to do this.', retryable: false },
  not_found: { status: 404, message: 'Not found, or you do not have permission to see it.', retryable: false },
  unknown_path: { status: 404, message: 'This path does not exist.', retryable: false, class: 'unsupported' },
  method_not_allowed: {
    status: 405,
    message: 'This path does not support the method. See the header Allow.',
    retryable: false,
  },
  request_timeout: { status: 408, message: 'The request did not arrive in time. Send it again.', retryable: true },
  conflict: {
    status: 409,
    message: 'The request conflicts with the current state. Reload, then try again.',
    retryable: false,
  },
  idempotency_conflict: {
    status: 409,
    message: 'This Idempotency-Key was used with another body. Use a new key.',
    retryable: false,
    class: 'content',
  },
  token_limit_reached: {
    status: 409,
    message: 'You have reached the maximum number of API tokens. Delete one first.',
    retryable: false,
  },
  last_master: {
    status: 409,
    message: 'This is the last active master. Make another user a master first.',
    retryable: false,
  },
  username_taken: { status: 409, message: 'This username is taken. Choose another one.', retryable: false },
  too_large: { status: 413, message: 'The body is too large. Send less at once.', retryable: false, class: 'content' },
  unsupported_media_type: { status: 415, message: 'The Content-Type of the body is not supported.', retryable: false },
  headers_too_large: { status: 431, message: 'The request headers are too large.', retryable: false },
  too_many_requests: {
    status: 429,
    message: 'Too many attempts. Wait, then try again.',
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
    message: 'You have reached the maximum number of open event streams. Close one first.',
    retryable: true,
  },
  quota_exceeded: {
    status: 429,
    message: 'This source has exceeded its quota of lines. Wait, then send again.',
    retryable: true,
  },
  internal: {
    status: 500,
    message: 'Internal server error. Report the request id if it happens again.',
    retryable: false,
  },
  overloaded: { status: 503, message: 'The server is busy. Try again shortly.', retryable: true },
  database_busy: { status: 503, message: 'The database is busy. Try again shortly.', retryable: true },
  database_unavailable: { status: 503, message: 'The database is not responding. Try again shortly.', retryable: true },
  storage_full: {
    status: 503,
    message: 'The disk is full; nothing was stored. Free some space, then try again.',
    retryable: true,
  },
  shutting_down: { status: 503, message: 'The server is shutting down. Try again shortly.', retryable: true },
} as const satisfies Record<string, ErrorSpec>;

/** Stable snake_case code of an error. */
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

/** One refused field of the input. */
export interface FieldIssue {
  /** Path of the field: `query.page`, `body.name`, `params.id`. */
  readonly path: string;
  /** The problem, for people. */
  readonly message: string;
}

/** Options of {@link AppError}. */
export interface AppErrorOptions {
  /** Replaces the table's sentence. It must not contain a secret, a path of the host, SQL or a stack. */
  readonly message?: string;
  /** Further explanation for people. */
  readonly detail?: string;
  readonly fields?: readonly FieldIssue[];
  /** Seconds for the `Retry-After` header. */
  readonly retryAfterS?: number;
  /** Underlying error, for the log only. */
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
