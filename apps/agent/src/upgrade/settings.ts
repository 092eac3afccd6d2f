// Settings of upgrades, for variables and file alike.
import { ADDRESS_ALLOWED, addressSchema, ConfigError, type Variable } from '@quarterdeck/core/environment';
import type { Proxies } from '@quarterdeck/core/network';
import { z } from 'zod';
import { commaList } from '../settings/config-values.ts';
import { type PublicKey, readPublicKey, SignatureError } from './minisign.ts';
import type { UpgradeSettings } from './upgrader.ts';

const KEY_ALLOWED = 'a public key of minisign, which begins with RW';
const KEYS_MAX = 5;
const TRIAL_ALLOWED = 'a whole number from 10 to 86400';
/** Default of `upgrade_trial_s`, in seconds. */
export const TRIAL_DEFAULT_S = 300;

const publicKey = z.string().transform((text, context): PublicKey => {
  try {
    return readPublicKey(text);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    context.addIssue(`must be ${KEY_ALLOWED}`);
    return z.NEVER;
  }
});
const publicKeys = z.array(publicKey).min(1).max(KEYS_MAX);
const trialSeconds = z.int(`must be ${TRIAL_ALLOWED}`).min(10).max(86_400);

/** Keys of the configuration file. */
export const UPGRADE_KEYS = {
  upgrade_url: addressSchema.optional(),
  upgrade_key: z.union([publicKey.transform((key) => [key]), publicKeys]).optional(),
  upgrade_allow_older: z.boolean().optional(),
  upgrade_trial_s: trialSeconds.optional(),
};

/** Variables that override the keys. */
export const UPGRADE_VARIABLES = {
  upgradeUrl: {
    name: 'QUARTERDECK_AGENT_UPGRADE_URL',
    allowed: ADDRESS_ALLOWED,
    help: 'address of a folder with executables of the agent and their signatures (default: none)',
    schema: addressSchema.optional(),
  },
  upgradeKey: {
    name: 'QUARTERDECK_AGENT_UPGRADE_KEY',
    allowed: `${KEY_ALLOWED}; up to ${KEYS_MAX} with commas between`,
    help: 'public keys of minisign that may have signed an executable, with commas between',
    schema: commaList.pipe(publicKeys).optional(),
  },
  upgradeAllowOlder: {
    name: 'QUARTERDECK_AGENT_UPGRADE_ALLOW_OLDER',
    allowed: 'on or off',
    help: 'on: an older version may replace a newer one (default: off)',
    schema: z
      .enum(['on', 'off'])
      .transform((value) => value === 'on')
      .optional(),
  },
  upgradeTrialS: {
    name: 'QUARTERDECK_AGENT_UPGRADE_TRIAL_S',
    allowed: TRIAL_ALLOWED,
    help: `seconds in which a new version must report, or is rolled back (default: ${TRIAL_DEFAULT_S})`,
    schema: z.string().regex(/^\d+$/).transform(Number).pipe(trialSeconds).optional(),
  },
} as const satisfies Record<string, Variable<unknown>>;

/** Joins the settings; undefined where the agent gets no executables. */
export function upgradeSettings(
  url: string | undefined,
  keys: readonly PublicKey[] | undefined,
  allowOlder: boolean,
  proxies: Proxies | undefined,
): UpgradeSettings | undefined {
  if (url === undefined && keys === undefined) return undefined;
  const { upgradeUrl, upgradeKey } = UPGRADE_VARIABLES;
  if (url === undefined) throw new ConfigError(`${upgradeUrl.name} is not set; allowed: ${upgradeUrl.allowed}`);
  if (keys === undefined) throw new ConfigError(`${upgradeKey.name} is not set; allowed: ${upgradeKey.allowed}`);
  return { url, keys, allowOlder, ...(proxies && { proxies }) };
}
