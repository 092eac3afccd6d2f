import * as z from 'zod';
import {
  AskingDevice,
  DeviceCodes,
  DeviceDecision,
  DeviceQuery,
  DeviceStart,
  DeviceTokenRequest,
} from '../domain/device-login.ts';
import { LoginResult } from '../domain/user.ts';
import { endpoint } from './endpoint.ts';

const SMALL = 4 * 1024;

/** Signing in at a terminal with a code that a person confirms in a browser. */
export const deviceLogin = {
  start: endpoint({
    method: 'POST',
    path: '/admin-api/user/device',
    summary: 'Begin a sign-in at a terminal: it shows the address and the code',
    access: 'public',
    body: DeviceStart,
    bodyOptional: true,
    bodyLimit: SMALL,
    data: DeviceCodes,
    carriesSecret: true,
    errors: ['too_many_requests', 'overloaded'],
  }),
  find: endpoint({
    method: 'POST',
    path: '/admin-api/user/device/find',
    summary: 'The terminal that asks with a user code',
    access: 'session',
    narrowed: true,
    body: DeviceQuery,
    bodyLimit: SMALL,
    data: AskingDevice,
    errors: ['not_found', 'too_many_requests'],
  }),
  confirm: endpoint({
    method: 'POST',
    path: '/admin-api/user/device/confirm',
    summary: 'Let the terminal with a user code sign in as the caller, or refuse it',
    access: 'session',
    narrowed: true,
    body: DeviceDecision,
    bodyLimit: SMALL,
    data: z.undefined(),
    errors: ['not_found', 'too_many_requests'],
  }),
  token: endpoint({
    method: 'POST',
    path: '/admin-api/user/device/token',
    summary: 'The session of the terminal, once its code is confirmed',
    access: 'public',
    body: DeviceTokenRequest,
    bodyLimit: SMALL,
    data: LoginResult,
    carriesSecret: true,
    msg: 'login success',
    errors: ['authorization_pending', 'slow_down', 'device_code_expired', 'access_denied'],
  }),
};
