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

/** Facts about an error that programs decide by. */
interface ErrorRule {
  /** HTTP status; also the envelope's `status`. */
  readonly status: number;
  /** True when the same request may succeed later without a change by the caller. */
  readonly retryable: boolean;
  /** Set where it differs from the class of the status. */
  readonly class?: ErrorClass;
  /** Code on the wire, where it is also that of another row with another status. */
  readonly code?: string;
}

/** One row of {@link ERRORS}. */
export interface ErrorSpec extends ErrorRule {
  /** One plain sentence for people; a thrower may replace it with a better one. */
  readonly message: string;
}

const RULES = {
  bad_request: { status: 400, retryable: false },
  body_missing: { status: 400, retryable: false },
  malformed_json: { status: 400, retryable: false },
  validation_failed: {
    status: 400,
    retryable: false,
  },
  unknown_field: { status: 400, retryable: false },
  webhook_address_not_allowed: {
    status: 400,
    retryable: false,
    code: 'address_not_allowed',
  },
  nothing_accepted: {
    status: 400,
    retryable: false,
    class: 'content',
  },
  // RFC 8628, section 3.5. Clients ask again by their own clock.
  authorization_pending: { status: 400, retryable: false, class: 'login' },
  slow_down: { status: 400, retryable: false, class: 'login' },
  device_code_expired: { status: 400, retryable: false, class: 'login', code: 'expired_token' },
  access_denied: { status: 400, retryable: false, class: 'login' },
  credential_missing: {
    status: 401,
    retryable: false,
  },
  credential_invalid: {
    status: 401,
    retryable: false,
  },
  session_expired: { status: 401, retryable: false },
  token_expired: { status: 401, retryable: false },
  // The official client of the production system compares this text.
  login_failed: { status: 401, retryable: false, class: 'login' },
  otp_required: {
    status: 401,
    retryable: false,
    class: 'login',
  },
  address_not_allowed: { status: 403, retryable: false },
  scope_missing: { status: 403, retryable: false },
  second_factor_demanded: {
    status: 403,
    retryable: false,
  },
  reauthentication_required: {
    status: 403,
    retryable: false,
  },
  enrollment_used_up: {
    status: 403,
    retryable: false,
  },
  forbidden: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  unknown_path: { status: 404, retryable: false, class: 'unsupported' },
  method_not_allowed: {
    status: 405,
    retryable: false,
  },
  request_timeout: { status: 408, retryable: true },
  conflict: {
    status: 409,
    retryable: false,
  },
  idempotency_conflict: {
    status: 409,
    retryable: false,
    class: 'content',
  },
  token_limit_reached: {
    status: 409,
    retryable: false,
  },
  last_master: {
    status: 409,
    retryable: false,
  },
  username_taken: { status: 409, retryable: false },
  precondition_failed: {
    status: 412,
    retryable: false,
    class: 'conflict',
  },
  too_large: { status: 413, retryable: false, class: 'content' },
  unsupported_media_type: { status: 415, retryable: false },
  headers_too_large: { status: 431, retryable: false },
  too_many_requests: {
    status: 429,
    retryable: true,
    class: 'login',
  },
  rate_limited: {
    status: 429,
    retryable: true,
  },
  stream_limit_reached: {
    status: 429,
    retryable: true,
  },
  export_limit_reached: { status: 429, retryable: true },
  quota_exceeded: {
    status: 429,
    retryable: true,
  },
  internal: {
    status: 500,
    retryable: false,
  },
  coding_not_implemented: { status: 501, retryable: false, class: 'input' },
  overloaded: { status: 503, retryable: true },
  database_busy: { status: 503, retryable: true },
  database_unavailable: { status: 503, retryable: true },
  identity_unavailable: {
    status: 503,
    retryable: true,
  },
  storage_full: {
    status: 503,
    retryable: true,
  },
  shutting_down: { status: 503, retryable: true },
} as const satisfies Record<string, ErrorRule>;

/** Plain sentence for people, for each error. Apart from the rules, because clients need only those. */
const MESSAGES: Readonly<Record<keyof typeof RULES, string>> = {
  bad_request: 'The request is malformed.',
  body_missing: 'The request has no body. Send a JSON object.',
  malformed_json: 'The body is not valid JSON. Send a JSON object.',
  validation_failed: 'The request is not valid. Correct the listed fields.',
  unknown_field: 'The request has fields or parameters that do not exist here. Correct or remove them.',
  webhook_address_not_allowed: 'Messages cannot go to this address. Allow it with QUARTERDECK_WEBHOOK_ALLOW.',
  nothing_accepted: 'No line of the batch could be read; nothing was stored.',
  authorization_pending: 'The code is not confirmed yet. Ask again later.',
  slow_down: 'You ask too often. Wait five seconds longer between two requests.',
  device_code_expired: 'The code has expired. Begin again.',
  access_denied: 'The sign-in of this terminal was refused in the browser.',
  credential_missing: 'A credential is required. Sign in, or send an API token.',
  credential_invalid: 'The credential is not valid or was revoked. Sign in again, or send another token.',
  session_expired: 'Your session has ended. Sign in again.',
  token_expired: 'The token has expired. Create a new one.',
  login_failed: 'incorrect login credentials',
  otp_required: 'Your second factor is required. Enter the one-time code.',
  address_not_allowed: 'This API token cannot be used from this address.',
  scope_missing: 'The API token lacks the scope for this request.',
  second_factor_demanded: 'Your role requires a second factor. Set one up first.',
  reauthentication_required:
    'Confirm your password first: send it to POST /admin-api/user/me/confirm, then repeat this request.',
  enrollment_used_up: 'This enrollment token has no uses left. Create a new one.',
  forbidden: 'You do not have permission to do this.',
  not_found: 'Not found, or you do not have permission to see it.',
  unknown_path: 'This path does not exist.',
  method_not_allowed: 'This path does not support the method. See the header Allow.',
  request_timeout: 'The request did not arrive in time. Send it again.',
  conflict: 'The request conflicts with the current state. Reload, then try again.',
  idempotency_conflict: 'This Idempotency-Key was used with another body. Use a new key.',
  token_limit_reached: 'You have reached the maximum number of API tokens. Delete one first.',
  last_master: 'This is the last active master. Make another user a master first.',
  username_taken: 'This username is taken. Choose another one.',
  precondition_failed: 'It was changed meanwhile; nothing was written. Compare with the current state, then try again.',
  too_large: 'The body is too large. Send less at once.',
  unsupported_media_type: 'The Content-Type of the body is not supported.',
  headers_too_large: 'The request headers are too large.',
  too_many_requests: 'Too many attempts. Wait, then try again.',
  rate_limited: 'Too many changes with this credential. Wait, then try again.',
  stream_limit_reached: 'You have reached the maximum number of open event streams. Close one first.',
  export_limit_reached: 'You have reached the maximum number of exports at once. Wait until one ends.',
  quota_exceeded: 'This source has exceeded its quota of lines. Wait, then send again.',
  internal: 'Internal server error. Report the request id if it happens again.',
  coding_not_implemented: 'The request has a transfer coding other than chunked. Send the body without it.',
  overloaded: 'The server is busy. Try again shortly.',
  database_busy: 'The database is busy. Try again shortly.',
  database_unavailable: 'The database is not responding. Try again shortly.',
  identity_unavailable: 'The server that checks credentials does not answer. Try again shortly.',
  storage_full: 'The disk is full; nothing was stored. Free some space, then try again.',
  shutting_down: 'The server is shutting down. Try again shortly.',
};

/** Stable snake_case name of an error, and its code on the wire except for rows with a `code`. */
export type ErrorCode = keyof typeof RULES;

const withMessage = ([code, rule]: [string, ErrorRule]) => [code, { ...rule, message: MESSAGES[code as ErrorCode] }];

/**
 * `err.code` of a failure envelope -> its meaning. The codes are part of the wire and never change meaning. Few rows
 * have a name beside their code.
 */
export const ERRORS: Readonly<Record<ErrorCode, ErrorSpec>> = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ Object.entries(RULES).map(withMessage),
);

const ROWS: Readonly<Record<string, ErrorRule>> = RULES;

/** Returns `err.code` of an error. */
export const wireCode = (code: ErrorCode): string => ROWS[code]?.code ?? code;

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
  412: 'conflict',
  425: 'server',
  429: 'rate',
};

/** Finds the row of a code; of those with the same code, the one with the status. */
const errorRule = (status: number, code: string): ErrorRule | undefined =>
  Object.values(ROWS).find((row) => row.code === code && row.status === status) ??
  (Object.hasOwn(ROWS, code) ? ROWS[code] : undefined);

/**
 * Reports whether the same request may succeed later. The status decides for a code of a newer or older server, and for
 * an answer without a code.
 */
export const isRetryable = (status: number, code = ''): boolean =>
  errorRule(status, code)?.retryable ?? RETRYABLE_STATUSES.has(status);

/** Classifies an error by its code, or by its status where the table does not have the code. */
export function errorClass(status: number, code = ''): ErrorClass {
  const rule = errorRule(status, code);
  return rule?.class ?? classOfStatus(rule?.status ?? status);
}

function classOfStatus(status: number): ErrorClass {
  if (status >= 500) return 'server';
  if (status < 400) return 'unsupported';
  return CLASS_OF_STATUS[status] ?? 'input';
}

/** `WWW-Authenticate` of every answer with 401 (RFC 9110, section 11.6.1; RFC 6750, section 3). */
export const CHALLENGE = 'Bearer realm="quarterdeck"';

/** One refused field of the input. */
export interface FieldIssue {
  /** Path of the field: `query.page`, `body.name`, `params.id`. */
  readonly path: string;
  /** The problem, for people. */
  readonly message: string;
}

/** Greatest `Retry-After` of a busy server, in seconds. */
const RETRY_SPREAD_S = 5;

/** Seconds after which a refused client may try again, from 1 to 5: clients refused together do not return together. */
const spreadSeconds = () => 1 + Math.floor(Math.random() * RETRY_SPREAD_S);

/** Options of {@link AppError}. */
export interface AppErrorOptions {
  /** Replaces the table's sentence. It must not contain a secret, a path of the host, SQL or a stack. */
  readonly message?: string;
  /** Further explanation for people. */
  readonly detail?: string;
  readonly fields?: readonly FieldIssue[];
  /** The addressed object as it is now. */
  readonly current?: object;
  /** Seconds for the `Retry-After` header. Absent = 1 to 5 for a status of 503, none for others. */
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
  readonly current: object | undefined;
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? ERRORS[code].message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.fields = options.fields;
    this.current = options.current;
    this.retryAfterS = options.retryAfterS ?? (ERRORS[code].status === 503 ? spreadSeconds() : undefined);
  }

  /** HTTP status of the answer. */
  get status(): number {
    return ERRORS[this.code].status;
  }
}

/**
 * Returns the refusal of one field of a request.
 *
 * @param path the field as the wire names it, such as `body.expire` or `query.at`
 * @param message what it must be, to follow its name
 */
export const invalidField = (path: string, message: string): AppError =>
  new AppError('validation_failed', { message: `${path}: ${message}`, fields: [{ path, message }] });
