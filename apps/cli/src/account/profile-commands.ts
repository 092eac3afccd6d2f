// Runs the commands about profiles.
import { nameProblem } from '@quarterdeck/tui/profiles';
import type { Invocation } from '../command/command.ts';
import { printRows } from '../output/print.ts';
import { usage } from '../process/command-error.ts';
import { say } from '../terminal/io.ts';
import { openCredentials } from './credentials.ts';
import { readProfiles, writeProfiles } from './profiles.ts';
import { addressOf } from './target.ts';

/** Lists the profiles with the state of their credentials. */
export async function runProfileList({ values, program: { io, folders, config } }: Invocation): Promise<undefined> {
  const { used, all } = readProfiles(folders);
  const credentials = openCredentials(folders, config.hasKeyring);
  const rows = all.map(({ name, url, consoleUrl, readOnly, isProtected, tokenFile }) => {
    const stored = credentials.get(url);
    return {
      name,
      used: name === used,
      url,
      console_url: consoleUrl ?? '',
      username: stored?.username ?? '',
      expire: stored?.expire ?? null,
      read_only: readOnly,
      protected: isProtected,
      token_file: tokenFile ?? '',
    };
  });
  const columns = ['name', 'used', 'url', 'username', 'expire'];
  await printRows(io, rows, { columns, wide: ['console_url', 'read_only', 'protected', 'token_file'] }, values);
}

/** Chooses the profile to use. */
export async function runProfileUse({ args, program: { io, folders } }: Invocation): Promise<undefined> {
  const [name = ''] = args;
  const { all } = readProfiles(folders);
  const found = all.find((one) => one.name === name);
  if (found === undefined) throw unknown(name);
  await writeProfiles({ folders, io }, { used: name, all });
  await say(io, `Commands and the dashboard use ${name} (${found.url}) from now on.`);
}

/** Adds a profile or changes it. */
export async function runProfileAdd({ args, values, program: { io, folders } }: Invocation): Promise<undefined> {
  const [name = '', address = ''] = args;
  const problem = nameProblem(name);
  if (problem !== null) throw usage(`${JSON.stringify(name.slice(0, 80))} is no name of a profile. ${problem}`);
  const url = addressOf(address);
  const { used, all } = readProfiles(folders);
  const before = all.find((one) => one.name === name);
  const consoleUrl =
    values['console_url'] === undefined ? before?.consoleUrl : addressOf(String(values['console_url']));
  const profile = {
    name,
    url,
    consoleUrl,
    color: before?.color ?? ('none' as const),
    readOnly: (values['read_only'] as boolean | undefined) ?? before?.readOnly ?? false,
    isProtected: (values['protected'] as boolean | undefined) ?? before?.isProtected ?? false,
    tokenFile: (values['token_file'] as string | undefined) ?? before?.tokenFile,
  };
  await writeProfiles(
    { folders, io },
    { used: used || name, all: [...all.filter((one) => one.name !== name), profile] },
  );
  await say(io, `Profile ${name} is stored. Sign in: quarterdeck login --profile ${name}`);
}

/** Removes a profile, and its credential unless another profile has the same address. */
export async function runProfileRemove({ args, program: { io, folders, config } }: Invocation): Promise<undefined> {
  const [name = ''] = args;
  const { used, all } = readProfiles(folders);
  const found = all.find((one) => one.name === name);
  if (found === undefined) throw unknown(name);
  const rest = all.filter((one) => one !== found);
  await writeProfiles({ folders, io }, { used: used === name ? '' : used, all: rest });
  if (rest.every(({ url }) => url !== found.url)) openCredentials(folders, config.hasKeyring).remove(found.url);
  await say(io, `Profile ${name} is removed.`);
}

const unknown = (name: string) =>
  usage(`There is no profile ${JSON.stringify(name.slice(0, 80))}. List them: quarterdeck profile list`);
