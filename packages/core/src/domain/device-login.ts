// Signing in at a terminal: it shows a code, which a person confirms in a browser (as RFC 8628 describes).
import * as z from 'zod';
import { nameText, UnixFraction, UnixMs } from './primitives.ts';

/** Letters of a user code: no vowels, so that no words come about, and none that look alike. */
export const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
/** Letters of a user code: 20^8 codes. */
export const USER_CODE_LENGTH = 8;

/** A user code as people type it: case, spaces and dashes do not matter. */
export const UserCode = z
  .string()
  .max(40)
  .transform((code) => code.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''))
  .pipe(z.string().regex(new RegExp(`^[${USER_CODE_LETTERS}]{${USER_CODE_LENGTH}}$`), 'must be a code as XXXX-XXXX'));

/** A terminal that wants to sign in. */
export const DeviceStart = z
  .object({
    name: nameText(100).default('').meta({ description: 'Name of the terminal, such as ann@gw1; people see it' }),
    remember: z.boolean().default(false).meta({ description: 'The session lasts as long as that of the browser' }),
  })
  .meta({ examples: [{ name: 'ann@gw1' }] });
export type DeviceStart = z.infer<typeof DeviceStart>;

/** The codes of a terminal. */
export const DeviceCodes = z.object({
  device_code: z.string().meta({ description: 'Secret of the terminal' }),
  user_code: z.string().meta({ description: 'To be typed at the address' }),
  verification_uri: z.string().meta({ description: 'Address to open in a browser' }),
  interval: z.int().meta({ description: 'Seconds between two requests for the session, at least' }),
  expires_in: z.int().meta({ description: 'Seconds for which the codes can be used' }),
});
export type DeviceCodes = z.infer<typeof DeviceCodes>;

/** A user code of a terminal. */
export const DeviceQuery = z.object({ user_code: UserCode }).meta({ examples: [{ user_code: 'BCDF-GHJK' }] });
export type DeviceQuery = z.infer<typeof DeviceQuery>;

/** The terminal that asks with a user code. */
export const AskingDevice = z.object({
  name: z.string().meta({ description: 'Name that the terminal gives itself; nothing proves it' }),
  address: z.string(),
  client: z.string().meta({ description: 'Program of the terminal' }),
  created: UnixFraction,
  expire: UnixMs,
});
export type AskingDevice = z.infer<typeof AskingDevice>;

/** The decision of a person about a terminal. */
export const DeviceDecision = z
  .object({
    user_code: UserCode,
    approve: z.boolean().default(true).meta({ description: 'false: the terminal is refused' }),
  })
  .meta({ examples: [{ user_code: 'BCDF-GHJK' }, { user_code: 'BCDF-GHJK', approve: true }] });
export type DeviceDecision = z.infer<typeof DeviceDecision>;

/** The request of a terminal for its session. */
export const DeviceTokenRequest = z.object({ device_code: z.string().min(1).max(200) });
export type DeviceTokenRequest = z.infer<typeof DeviceTokenRequest>;
