// The public surface of @quarterdeck/sdk: createClient, signIn, paginate and the errors. Everything else is internal.
export type {
  Agent,
  ApiToken,
  Data,
  ErrlogEntry,
  ErrorCode,
  FieldIssue,
  Input,
  Line,
  LoginResult,
  Me,
  NewApiToken,
  Page,
  QuarterdeckEvent,
} from '@quarterdeck/core';
export { type Call, type CallArguments, type Client, createClient, type ListCall } from './client.ts';
export type { Clock } from './clock.ts';
export {
  ApiError,
  ClientError,
  isApiError,
  isClientError,
  isNetworkError,
  isTimeoutError,
  isUnexpectedAnswerError,
  NetworkError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts';
export type {
  EventFilter,
  EventOf,
  EventOptions,
  EventStatus,
  EventStatusDetail,
  EventStream,
  SubscribableType,
} from './events.ts';
export type { ErrlogExportFilter, ExportFormat, ExportOptions, LineExportFilter } from './export.ts';
export type { HttpAnswer } from './http-answer.ts';
export type { LineFilter, LineOptions } from './lines.ts';
export { type ListInput, type PaginateOptions, type Pagination, paginate, type Row } from './paginate.ts';
export { type SignedIn, type SignInOptions, signIn } from './sign-in.ts';
export type {
  CallOptions,
  ClientOptions,
  CredentialOption,
  HttpRequest,
  RequestInfo,
  Send,
} from './transport.ts';
