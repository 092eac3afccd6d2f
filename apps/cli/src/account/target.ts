// The server of a command: its address, and the credential for it.
import { readSmallFile } from '@quarterdeck/core/small-file';
import { type Folders, type Profile, readAddress } from '@quarterdeck/tui/profiles';
import type { Config } from '../command/config.ts';
import { usage } from '../process/command-error.ts';
import { type Credential, openCredentials } from './credentials.ts';
import { readProfiles } from './profiles.ts';

/** Address of a server on the same host. */
const ADDRESS_DEFAULT = 'http://127.0.0.1:7080';

/** A server and the credential for it. */
export interface Target {
  readonly profile: Profile;
  readonly credential: Credential | undefined;
  /** Origin of the credential, for people. */
  readonly origin: string;
}

/** Reads a typed address of a server. */
export function addressOf(text: string): string {
  const url = readAddress(text);
  if (url === null) throw usage('The address must begin with http:// or https://, without user, query or fragment.');
  return url;
}

const server = (url: string): Profile => ({ name: '', url, color: 'none', readOnly: false, isProtected: false });

/** Chooses the profile: by name, else the address of the environment, else the one in use. */
export function chooseProfile(folders: Folders, config: Config, name: string | undefined): Profile {
  if (name === undefined && config.url !== undefined) return server(config.url);
  const { used, all } = readProfiles(folders);
  const wanted = name ?? used;
  if (wanted === '') return server(ADDRESS_DEFAULT);
  const found = all.find((one) => one.name === wanted);
  if (found === undefined)
    throw usage(`There is no profile ${JSON.stringify(wanted)}. List them: quarterdeck profile list`);
  return found;
}

/** Finds the server and its credential. A token of the environment is never sent to a profile that was named. */
export function findTarget(folders: Folders, config: Config, name: string | undefined): Target {
  const profile = chooseProfile(folders, config, name);
  if (config.token !== undefined && name === undefined) {
    return { profile, credential: apiToken(config.token), origin: 'QUARTERDECK_TOKEN' };
  }
  if (profile.tokenFile !== undefined) {
    return { profile, credential: apiToken(readTokenFile(profile.tokenFile)), origin: profile.tokenFile };
  }
  const credential = openCredentials(folders, config.hasKeyring).get(profile.url);
  return { profile, credential, origin: credential === undefined ? 'none' : 'quarterdeck login' };
}

const apiToken = (secret: string): Credential => ({ kind: 'api_token', secret, username: '', expire: 0 });

function readTokenFile(path: string): string {
  let token = '';
  try {
    token = readSmallFile(path).trim();
  } catch {
    // The message below says so.
  }
  if (token === '') throw usage(`The token file of the profile cannot be read: ${path}`);
  return token;
}
