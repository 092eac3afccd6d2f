// The commands upgrade and rollback. They change the folder of executables; the agent that runs follows at its next
// start.
import { stat } from 'node:fs/promises';
import { ConfigError } from '@quarterdeck/core/environment';
import { chooseProgram, type Installed } from './hand-over.ts';
import { type ProgramFolder, programFolderIn, withRefusal } from './program-folder.ts';
import { createUpgrader, type UpgradeSettings } from './upgrader.ts';
import { compareVersions } from './version.ts';

export interface UpgradeCommandOptions {
  readonly agentDir: string;
  readonly installed: Installed;
  readonly say: (line: string) => void;
}

const NEXT_START = 'it runs from the next start of the agent: systemctl restart quarterdeck-agent';

/**
 * Becomes the user of the agent's folder, and returns a path of the folder. Files in the folder of another user may be
 * links to anywhere, so root must not write there.
 */
async function becomeOwner(agentDir: string): Promise<string> {
  const owner = await stat(agentDir).catch(() => undefined);
  if (owner === undefined) throw new ConfigError(`there is no agent in ${agentDir}; enroll this host first`);
  if (owner.uid === process.geteuid?.()) return agentDir;
  if (process.geteuid?.() !== 0) throw new ConfigError(`${agentDir} belongs to another user; run this as root`);
  // The folders above may be closed to that user.
  process.chdir(agentDir);
  process.setgroups?.([]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
  return '.';
}

/** Version that the next start runs. */
async function nextVersion(folder: ProgramFolder, { installed, say }: UpgradeCommandOptions): Promise<string> {
  const state = { ...(await folder.load()), trial: undefined };
  const chosen = await chooseProgram({ folder: { ...folder, load: async () => state }, installed, say });
  return chosen?.version ?? installed.version;
}

/** Gets the offered version; `checkOnly` downloads nothing. Throws the errors of an upgrader. */
export async function upgrade(
  options: UpgradeCommandOptions & {
    readonly settings: UpgradeSettings | undefined;
    readonly checkOnly: boolean;
    readonly force: boolean;
  },
): Promise<void> {
  const { settings, installed, say, checkOnly, force } = options;
  if (settings === undefined) {
    throw new ConfigError(
      'QUARTERDECK_AGENT_UPGRADE_URL is not set; allowed: an address with executables of the agent, and its key',
    );
  }
  const folder = programFolderIn(await becomeOwner(options.agentDir));
  const version = await nextVersion(folder, options);
  const upgrader = createUpgrader({ settings, folder, installed, version, arch: process.arch });
  const { signal } = new AbortController();
  const offer = await upgrader.check(signal);
  if (compareVersions(offer.version, version) === 0) return say(`version ${version} is the offered one`);
  say(`version ${offer.version} is offered; ${version} is in use`);
  if (checkOnly) return;
  await upgrader.stage(offer, { signal, force });
  say(`version ${offer.version} is downloaded and verified; ${NEXT_START}`);
}

/** Goes back to the version before, and refuses the present one from now on. */
export async function rollback(options: UpgradeCommandOptions): Promise<void> {
  const folder = programFolderIn(await becomeOwner(options.agentDir));
  const state = await folder.load();
  const left = state.trial ?? state.current;
  if (left === undefined) throw new ConfigError('nothing to roll back: the installed version runs');
  const before = state.trial === undefined ? { current: state.previous, previous: undefined } : { trial: undefined };
  const rolledBack = withRefusal({ ...state, ...before }, left, 'rolled back by command');
  await folder.save(rolledBack);
  await folder.sweep(rolledBack);
  const version = await nextVersion(folder, options);
  options.say(`version ${left.version} is refused from now on; version ${version} is back: ${NEXT_START}`);
}
