// The public surface of @quarterdeck/express: a contract becomes a router.
export { AppError, type Contract, ERRORS, type ErrorCode, endpoint } from '@quarterdeck/core';
export type { ConvertError } from './error-handler.ts';
export type { CallContext, ServicesOf } from './mount.ts';
export type { Noun } from './openapi/schemas.ts';
export type { Info } from './openapi/types.ts';
export { createRemoteIdentify, type RemoteIdentify, type RemoteIdentifyOptions } from './remote-identify.ts';
export { type Caller, type Identify, type ServeOptions, type Services, serveContract } from './serve-contract.ts';
export type { Incoming } from './steps.ts';
