// Users: people who sign in, and the results of signing in.
import * as z from 'zod';
import { PERMISSIONS, ROLE_NAMES } from '../auth/permissions.ts';
import { SourceFilterText } from './filter.ts';
import { text, UnixFraction, UnixMs } from './primitives.ts';

/** Role of a user. It bounds the permissions of the user and of all their API tokens. */
export const Role = z.enum(ROLE_NAMES);
export type Role = z.infer<typeof Role>;

/** One-time code as a person types it: spaces and dashes are ignored. */
export const Otp = z
  .string()
  .min(6)
  .max(64)
  .transform((code) => code.replaceAll(/[\s-]/g, ''))
  .pipe(z.string().min(6).max(40));

/** Credentials of a sign-in. */
export const Login = z.object({
  username: text(255).min(1),
  password: z.string().min(1).max(1024),
  remember: z.boolean().nullish().meta({ description: 'true: the session lasts 31 days instead of 8 hours' }),
  plugin: text(64).nullish().meta({
    description: 'Builtin, the default: user name and password. Providers are opened in a browser: GET user/providers',
  }),
  otp: Otp.or(z.literal('').transform(() => undefined))
    .nullish()
    .meta({ description: 'Code of the second factor, or a recovery code' }),
});
export type Login = z.infer<typeof Login>;

/** Date-time text of the login result: UTC, `YYYY-MM-DD HH:MM:SS.ffffff`. */
const LoginTime = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/);

/** Result of a sign-in. */
export const LoginResult = z.object({
  _created_unix: LoginTime,
  _modified_unix: LoginTime,
  username: z.string(),
  'edge-token': z.string().optional().meta({
    description: 'The session token; send it back in the header edge-token. Absent where it is in a cookie',
  }),
  token: z.string().optional().meta({ description: 'The same value, under the name the official client reads' }),
  expire: UnixMs,
  id: z.int(),
  role: z.string(),
  login_2fa: z.object({ enabled: z.boolean().optional(), method: z.string().optional() }),
});
export type LoginResult = z.infer<typeof LoginResult>;

/** Formats Unix milliseconds as the login result does. */
export function loginTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1).replace('T', ' ')}000`;
}

/** The caller: identity, permissions, and the credential of this request. */
export const Me = z.object({
  id: z.int(),
  username: z.string(),
  role: z.string(),
  permissions: z.array(z.enum(PERMISSIONS)),
  second_factor: z.boolean(),
  must_set_up_second_factor: z
    .boolean()
    .meta({ description: 'The role requires it; everything else is refused before' }),
  credential: z.object({
    kind: z.enum(['session', 'api_token']),
    id: z.int(),
    expire: UnixMs.meta({ description: 'Unix milliseconds, 0 = never' }),
  }),
  provider: z.string().optional().meta({ description: 'Provider that this session was opened with' }),
  errlog_filter: z.string().optional().meta({
    description: 'Sources that the caller may see: the filters of the user and of the API token. Absent = all',
  }),
});
export type Me = z.infer<typeof Me>;

const Password = z.string().min(1).max(1024);
const NewPassword = text(1024).min(1);

/** Username: letters, digits and `. _ @ -`, so that it looks the same everywhere. */
export const Username = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/, {
  message: 'must be 1 to 100 letters, digits, dots, dashes, underscores or @, beginning with a letter or digit',
});

/** A user as user managers see it. */
export const User = z.object({
  id: z.int(),
  username: z.string(),
  role: z.string(),
  disabled: z.boolean(),
  second_factor: z.boolean(),
  errlog_filter: z.string().optional().meta({ description: 'Sources that the user may see; absent = all' }),
  _created_unix: UnixFraction,
  _modified_unix: UnixFraction,
});
export type User = z.infer<typeof User>;

/** The user with a name; an empty object when there is none. */
export const FoundUser = User.partial();
export type FoundUser = z.infer<typeof FoundUser>;

/** A user to be created. */
export const UserDraft = z
  .object({ username: Username, password: NewPassword, role: Role, errlog_filter: SourceFilterText.optional() })
  .meta({ examples: [{ username: 'ann', password: 'eleven tugboats at anchor', role: 'viewer' }] });
export type UserDraft = z.infer<typeof UserDraft>;

/** Change of a user: absent fields stay unchanged. A new password ends the user's sessions. */
export const UserChange = z
  .object({
    username: Username.optional(),
    password: NewPassword.optional(),
    role: Role.optional(),
    disabled: z.boolean().optional(),
    errlog_filter: SourceFilterText.optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    message: 'give at least one of username, password, role, disabled and errlog_filter',
  })
  .meta({ examples: [{ disabled: true }, { username: 'ann', role: 'operator', disabled: false }] });
export type UserChange = z.infer<typeof UserChange>;

/** Change of one's own password. */
export const PasswordChange = z.object({ current_password: Password, password: NewPassword });
export type PasswordChange = z.infer<typeof PasswordChange>;

/** Credentials that confirm a session: those of a sign-in without the username. */
export const Confirmation = Login.pick({ password: true, otp: true });
export type Confirmation = z.infer<typeof Confirmation>;

/** A confirmed session. */
export const Confirmed = z.object({
  until: UnixMs.meta({ description: 'Unix milliseconds until which this session stays confirmed' }),
});
export type Confirmed = z.infer<typeof Confirmed>;

/** A session of the caller. */
export const Session = z.object({
  id: z.int(),
  current: z.boolean().meta({ description: 'The session of this request' }),
  address: z.string(),
  client: z.string(),
  created: UnixFraction,
  last_used: UnixFraction.meta({ description: 'Unix seconds with fraction, at most a minute old; 0 = never' }),
  expire: UnixMs,
  idle_until: UnixMs.meta({
    description: 'Unix milliseconds at which it ends without use; 0 = no idle timeout',
  }),
});
export type Session = z.infer<typeof Session>;

/** Set-up of a second factor: the data for the phone, shown only here. */
export const SecondFactorDraft = z.object({
  secret: z.string().meta({ description: 'Base32' }),
  uri: z.string().meta({ description: 'otpauth:// URI, for a QR code' }),
});
export type SecondFactorDraft = z.infer<typeof SecondFactorDraft>;

/** Start of the set-up of a second factor. */
export const SecondFactorStart = z.object({ password: Password });
export type SecondFactorStart = z.infer<typeof SecondFactorStart>;

/** First code of a second factor, which turns it on. */
export const SecondFactorConfirmation = z.object({ otp: Otp });
export type SecondFactorConfirmation = z.infer<typeof SecondFactorConfirmation>;

/** Credentials that turn a second factor off. */
export const SecondFactorRemoval = z.object({ password: Password, otp: Otp });
export type SecondFactorRemoval = z.infer<typeof SecondFactorRemoval>;

/** Recovery codes, each for one use, shown only here. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;

/** Policy that applies to all users. */
export const UserPolicy = z.object({
  require_2fa: z.array(Role).meta({ description: 'Roles that must have a second factor' }),
});
export type UserPolicy = z.infer<typeof UserPolicy>;
