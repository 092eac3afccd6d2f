// People: who signs in, and what signing in returns.
import { z } from 'zod';
import { PERMISSIONS, ROLE_NAMES } from '../auth/permissions.ts';
import { text, UnixMs } from './primitives.ts';

/** Role of a user. */
export const Role = z.enum(ROLE_NAMES);
export type Role = z.infer<typeof Role>;

/** Body of a login (specification 4.1). */
export const Login = z.object({
  username: text(255).min(1),
  password: z.string().min(1).max(1024),
  remember: z.boolean().nullish().meta({ description: 'true: the session lasts 31 days instead of 8 hours' }),
  plugin: z.literal('Builtin').nullish(),
});
export type Login = z.infer<typeof Login>;

/** Date-time text of the login result: UTC, `YYYY-MM-DD HH:MM:SS.ffffff`. */
const LoginTime = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/);

/** What a login returns (specification 2.1), with `token` and `expire` added. */
export const LoginResult = z.object({
  _created_unix: LoginTime,
  _modified_unix: LoginTime,
  username: z.string(),
  'edge-token': z.string().meta({ description: 'The session token; send it back in the header edge-token' }),
  token: z.string().meta({ description: 'The same value, under the name the official client reads' }),
  expire: UnixMs,
  id: z.int(),
  role: z.string(),
  login_2fa: z.object({ enabled: z.boolean().optional(), method: z.string().optional() }),
});
export type LoginResult = z.infer<typeof LoginResult>;

/** Unix milliseconds as the login result writes them. */
export function loginTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1).replace('T', ' ')}000`;
}

/** The caller: who they are, what they may do, and how this request proved it. */
export const Me = z.object({
  id: z.int(),
  username: z.string(),
  role: z.string(),
  permissions: z.array(z.enum(PERMISSIONS)),
  credential: z.object({
    kind: z.enum(['session', 'api_token']),
    id: z.int(),
    expire: UnixMs.meta({ description: 'Unix milliseconds, 0 = never' }),
  }),
});
export type Me = z.infer<typeof Me>;
