import { z } from 'zod';
import { Login, LoginResult, Me } from '../domain/user.ts';
import { endpoint } from './endpoint.ts';

export const user = {
  login: endpoint({
    method: 'POST',
    path: '/admin-api/user/login',
    summary: 'Sign in with a username and password',
    access: 'public',
    body: Login,
    consumes: 'any_type',
    bodyLimit: 4 * 1024,
    data: LoginResult,
    msg: 'login success',
    errors: ['login_failed', 'overloaded'],
  }),
  logout: endpoint({
    method: 'POST',
    alsoMethod: 'GET',
    path: '/admin-api/user/logout',
    summary: 'End the session this request came with',
    access: 'signed_in',
    data: z.undefined(),
  }),
  me: endpoint({
    method: 'GET',
    path: '/admin-api/user/me',
    summary: 'Who the caller is and what they may do',
    access: 'signed_in',
    data: Me,
  }),
};
