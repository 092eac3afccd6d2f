// Signing in with a provider (OpenID Connect).
import * as z from 'zod';
import { isIssuer } from './issuer.ts';
import { text, UnixFraction } from './primitives.ts';

/** Address of an issuer, exactly as its tokens have it. */
export const Issuer = text(500).refine(isIssuer, {
  message: 'must be an https:// address without query and fragment; http:// is for loopback only',
});

/** Ways to sign in. */
export const SignInProviders = z.object({
  password_login: z.enum(['all', 'masters']).meta({
    description: 'Users who may sign in with a password; the others sign in with a provider',
  }),
  providers: z.array(
    z.object({
      name: z.string(),
      path: z.string().meta({
        description: 'Path that a browser opens to sign in; `to` is the path of this server to go to afterwards',
      }),
    }),
  ),
});
export type SignInProviders = z.infer<typeof SignInProviders>;

/** A person at a provider who signs in as a user here. Issuer and subject name the person; an e-mail never does. */
export const Identity = z.object({
  id: z.int(),
  issuer: z.string(),
  subject: z.string(),
  created: UnixFraction,
  last_used: UnixFraction.nullable().meta({ description: 'Unix seconds of the last sign-in; null = never' }),
});
export type Identity = z.infer<typeof Identity>;

/** A person of a provider to be linked to a user. */
export const IdentityDraft = z
  .object({ issuer: Issuer, subject: text(255).min(1) })
  .meta({ examples: [{ issuer: 'https://id.example.com/realms/main', subject: '248289761001' }] });
export type IdentityDraft = z.infer<typeof IdentityDraft>;
