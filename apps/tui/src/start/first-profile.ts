// The profile to start with, and the credentials of profiles.
import { readSmallFile } from '@quarterdeck/core/small-file';
import type { Profile } from '../profiles/profile.ts';
import type { Settings } from '../settings/settings.ts';
import type { Config, SavedCredential } from './config.ts';

/** Chooses the profile: by name, else the server of the environment, else the one in use, else the default server. */
export function firstProfile(
  { profile, profileName, hasAddress }: Pick<Config, 'profile' | 'profileName' | 'hasAddress'>,
  settings: Pick<Settings, 'profile' | 'profiles'>,
): Profile {
  const chosen = profileName ?? (hasAddress ? undefined : settings.profile);
  return settings.profiles.find(({ name }) => name === chosen) ?? profile;
}

/** Finds the credential of a profile. Without one the sign-in follows. */
export function credentialOf(
  profile: Profile,
  config: Pick<Config, 'profile' | 'token' | 'credentials'>,
): SavedCredential {
  const isGiven = profile.name === config.profile.name;
  const apiToken = isGiven ? config.token : tokenOfFile(profile);
  return apiToken === undefined ? (config.credentials?.get(profile.url) ?? {}) : { apiToken };
}

function tokenOfFile({ tokenFile }: Profile): string | undefined {
  if (tokenFile === undefined) return undefined;
  try {
    return readSmallFile(tokenFile).trim() || undefined;
  } catch {
    return undefined;
  }
}
