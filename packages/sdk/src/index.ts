// The public surface of @quarterdeck/sdk: createClient, signIn, paginate, the errors, and the types of the API.
export {
  ERRORS,
  type ErrorClass,
  type ErrorCode,
  type FieldIssue,
  LEVELS,
  type LevelName,
  levelName,
  type Permission,
  type RoleName,
} from '@quarterdeck/core/plain';
export {
  type Client,
  createClient,
  type QuarterdeckOptions,
} from './client.ts';
export type { AnyContract, ContractClient, EndpointWithSchemas } from './contract-client.ts';
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
export type * from './generated/calls.ts';
export * from './generated/nouns.ts';
export type { LineFilter, LineOptions } from './lines.ts';
export { type ListInput, type PaginateOptions, type Pagination, paginate, type Row } from './paginate.ts';
export type { Call, CallArguments, ListCall, NoInput } from './request/call.ts';
export type { CallPromise, CallResponse } from './request/call-promise.ts';
export type { Clock } from './request/clock.ts';
export type { CredentialOption } from './request/credentials.ts';
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
} from './request/errors.ts';
export type { AttemptEnd, AttemptInfo, HttpRequest, RequestInfo, Send } from './request/exchange.ts';
export type { HttpAnswer } from './request/http-answer.ts';
export type { AnswerSchema, QuarterdeckContract, Route, Routes, SchemaIssue, SchemaResult } from './request/route.ts';
export type { CallOptions, ClientOptions } from './request/transport.ts';
export { type SignedIn, type SignInOptions, signIn } from './sign-in.ts';
export { type CodeSignInOptions, type ShownCode, signInWithCode } from './sign-in-with-code.ts';
