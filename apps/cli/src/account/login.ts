// Signs in and out.
import { hostname, userInfo } from 'node:os';
import { createClient, isApiError, type SignedIn, type SignInOptions, signIn, signInWithCode } from '@quarterdeck/sdk';
import { nameProblem, type Profile } from '@quarterdeck/tui/profiles';
import type { Invocation } from '../command/command.ts';
import type { Program } from '../command/program.ts';
import { CommandError, usage } from '../process/command-error.ts';
import { ask, canAsk, readSecret, say } from '../terminal/io.ts';
import { clientOptions, USER_AGENT } from './connection.ts';
import { type Credential, credentialsPath, openCredentials } from './credentials.ts';
import { readProfiles, writeProfiles } from './profiles.ts';
import { addressOf, chooseProfile } from './target.ts';

/** Signs in, stores the credential, and uses the profile from now on. */
export async function runLogin(invocation: Invocation): Promise<undefined> {
  const { values, program } = invocation;
  const { io, folders, config } = program;
  const profile = profileOf(invocation);
  const credential =
    values['token_stdin'] === true ? await tokenOf(invocation, profile) : await sessionOf(invocation, profile);
  const place = openCredentials(folders, config.hasKeyring).set(profile.url, credential);
  if (place === undefined) throw new CommandError('refused', `${credentialsPath(folders)} cannot be written.`);
  if (profile.name !== '') {
    const { all } = readProfiles(folders);
    const others = all.filter(({ name }) => name !== profile.name);
    await writeProfiles(program, { used: profile.name, all: [...others, profile] });
  }
  const where = place === 'keyring' ? 'the keyring of the system' : credentialsPath(folders);
  await say(io, `Signed in to ${profile.url} as ${credential.username}. The credential is in ${where}.`);
  if (config.token !== undefined) await say(io, 'QUARTERDECK_TOKEN is set, and commands use it instead.');
}

/** The profile to sign in to. An address makes one, named as given or after its host. */
function profileOf({ args, values, program: { folders, config } }: Invocation): Profile {
  const name = values['profile'] as string | undefined;
  const [address] = args;
  if (address === undefined) return chooseProfile(folders, config, name);
  const url = addressOf(address);
  const known = readProfiles(folders).all.find((one) => (name === undefined ? one.url === url : one.name === name));
  const named = name ?? known?.name ?? new URL(url).hostname.replaceAll(/[^A-Za-z0-9.-]/g, '');
  const problem = nameProblem(named);
  if (problem !== null)
    throw usage(`${JSON.stringify(named)} is no name of a profile. ${problem} Name it with --profile.`);
  return { color: 'none', readOnly: false, isProtected: false, ...known, name: named, url };
}

async function tokenOf({ values, program }: Invocation, profile: Profile): Promise<Credential> {
  const secret = (await readSecret(program.io, 'API token: ', true)).trim();
  const me = await createClient({ ...clientOptions(profile, values), apiToken: secret }).user.me();
  return { kind: 'api_token', secret, username: me.username, expire: me.credential.expire };
}

/** Signs in with a code that a person confirms in a browser. */
async function sessionByCode({ values, program }: Invocation, profile: Profile): Promise<Credential> {
  const { fetch: _readOnly, ...options } = clientOptions(profile, values);
  const { login } = await signInWithCode({
    ...options,
    name: `${userInfo().username}@${hostname()}`,
    remember: values['remember'] === true,
    onCode: ({ address, code, expiresInS }) => {
      const minutes = Math.floor(expiresInS / 60);
      void say(program.io, `Open ${address} in a browser and type ${code} within ${minutes} minutes.`);
    },
  });
  return credentialOf(login);
}

const credentialOf = ({ 'edge-token': secret, username, expire }: SignedIn['login']): Credential => ({
  kind: 'session',
  secret,
  username,
  expire,
});

async function sessionOf(invocation: Invocation, profile: Profile): Promise<Credential> {
  const { values, program } = invocation;
  if (values['code'] === true) return sessionByCode(invocation, profile);
  const { io } = program;
  const username = (values['username'] as string | undefined) ?? (await askUsername(program));
  const question = `Password of ${username} at ${profile.url}: `;
  const secret = await readSecret(io, question, values['password_stdin'] === true);
  const [password = '', otp] = values['password_stdin'] === true ? secret.split(/\r?\n/) : [secret];
  const { fetch: _readOnly, ...options } = clientOptions(profile, values);
  const { login } = await signInAskingForCode(program, {
    ...options,
    username,
    password,
    remember: values['remember'] === true,
    ...(otp === undefined ? {} : { otp }),
  });
  return credentialOf(login);
}

function askUsername({ io }: Program): Promise<string> {
  if (!canAsk(io)) throw usage('--username is needed: there is no terminal to ask at.');
  return ask(io, 'Username: ');
}

async function signInAskingForCode({ io }: Program, options: SignInOptions): Promise<SignedIn> {
  try {
    return await signIn(options);
  } catch (error) {
    if (!isApiError(error) || error.code !== 'otp_required' || options.otp !== undefined || !canAsk(io)) throw error;
    return await signIn({ ...options, otp: (await ask(io, 'One-time code: ')).trim() });
  }
}

/** Ends the stored session on the server and forgets its credential; an API token stays valid. */
export async function runLogout({ values, program }: Invocation): Promise<undefined> {
  const { folders, config, io } = program;
  const { url } = chooseProfile(folders, config, values['profile'] as string | undefined);
  const credentials = openCredentials(folders, config.hasKeyring);
  const stored = credentials.get(url);
  credentials.remove(url);
  if (stored === undefined) {
    await say(io, `There is no stored credential for ${url}.`);
    return;
  }
  if (stored.kind === 'session') {
    // A session that has ended on the server needs no end.
    await createClient({ url, sessionToken: stored.secret, userAgent: USER_AGENT }).user.logout().catch(ignoreEnded);
  }
  await say(io, `Signed out of ${url}.`);
}

function ignoreEnded(error: unknown): void {
  if (!isApiError(error) || error.status !== 401) throw error;
}
