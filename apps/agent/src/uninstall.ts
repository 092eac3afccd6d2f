// Removes the agent from this host: its unit, its identity and secret, and the lines that wait to be sent. The program
// and its configuration stay, because they came from somebody else.
import { lstat, readdir, realpath, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@quarterdeck/core/environment';
import type { ServerApi } from './api/server-api.ts';
import { codeOf } from './files/error-code.ts';
import { LOCK_FILE, lockFolder } from './files/folder-lock.ts';
import { type Enrollment, stateFileIn } from './files/state.ts';
import { reasonOf } from './process/failures.ts';
import type { Unit } from './systemd-unit.ts';
import { PROGRAM_FOLDER } from './upgrade/program-folder.ts';

export interface UninstallOptions {
  readonly agentDir: string;
  readonly unit: Unit | undefined;
  /** Creates the client of the server of an enrollment. */
  readonly serverApi: (enrollment: Enrollment) => Pick<ServerApi, 'shutdown'>;
  /** Asks a question; true for yes. */
  readonly confirm: () => Promise<boolean>;
  readonly say: (line: string) => void;
}

/** Entries of the folder that the agent makes, and what each is. */
const OWN: Readonly<Record<string, string>> = {
  'state.json': 'identity and secret',
  'state.json.damaged': 'damaged identity and secret',
  'state.json.tmp': 'unfinished identity and secret',
  spool: 'lines that were not sent',
  watch: 'changes that were not reported',
  [PROGRAM_FOLDER]: 'downloaded versions of the agent',
  [LOCK_FILE]: 'lock',
};

async function entriesOf(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw new ConfigError(`cannot read ${dir} (${codeOf(error)})`, { cause: error });
  }
}

/** Removes a file or folder; throws one line where that is not allowed. */
async function removeOrExplain(path: string, remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    throw new ConfigError(`cannot remove ${path} (${codeOf(error)})`, { cause: error });
  }
}

/**
 * Removes the agent of a folder. Returns false where the person does not want it. A second call finds nothing and says
 * so.
 *
 * @throws ConfigError while the agent runs and cannot be stopped, or where something cannot be removed
 */
export async function uninstall(options: UninstallOptions): Promise<boolean> {
  const { agentDir, unit, confirm, say } = options;
  const own = (await entriesOf(agentDir)).filter((name) => name in OWN);
  if (own.length === 0 && unit === undefined) {
    say(`nothing to remove: no agent is installed in ${agentDir}`);
    return true;
  }
  for (const name of own) say(`to remove: ${join(agentDir, name)} (${OWN[name]})`);
  if (unit !== undefined) say(`to remove: ${unit.path} (unit of systemd; the agent is stopped)`);
  if (!(await confirm())) {
    say('nothing was removed');
    return false;
  }
  if (unit !== undefined && !(await unit.stop())) say('systemd did not stop the agent');
  if (own.length > 0) await removeState(options);
  if (unit !== undefined) {
    await removeOrExplain(unit.path, () => unit.remove());
    say(`removed: ${unit.path}`);
  }
  return true;
}

async function removeState(options: UninstallOptions): Promise<void> {
  const { agentDir, say } = options;
  // Refuses while the agent runs.
  await lockFolder(agentDir);
  await sayGoodbye(options);
  const names = await entriesOf(agentDir);
  // The lock goes last, so that no agent starts meanwhile.
  for (const name of names.filter((one) => one in OWN).sort((a) => (a === LOCK_FILE ? 1 : -1))) {
    const path = join(agentDir, name);
    await removeOrExplain(path, () => rm(path, { recursive: true, force: true }));
    say(`removed: ${path}`);
  }
  const left = await entriesOf(agentDir);
  for (const name of left) say(`left: ${join(agentDir, name)}`);
  if (left.length === 0) await removeFolder(agentDir, say);
}

/** Removes the empty folder. Under systemd it may be a link to the folder that only the unit's user may enter. */
async function removeFolder(agentDir: string, say: (line: string) => void): Promise<void> {
  const real = await realpath(agentDir);
  await removeOrExplain(agentDir, async () => {
    await rmdir(real);
    if ((await lstat(agentDir).catch(() => undefined)) !== undefined) await rm(agentDir);
  });
  say(`removed: ${agentDir}`);
}

/** Reports the shutdown. The secret of an agent cannot delete the agent at the server. */
async function sayGoodbye({ agentDir, serverApi, say }: UninstallOptions): Promise<void> {
  const { state } = await stateFileIn(agentDir).load();
  const { enrollment } = state ?? {};
  if (enrollment === undefined) return;
  const { id, server } = enrollment;
  try {
    await serverApi(enrollment).shutdown(enrollment);
    say(`reported the end of agent ${id} to ${server}; delete the agent there, its history stays until then`);
  } catch (error) {
    say(`could not report the end of agent ${id} to ${server} (${reasonOf(error).code}); delete the agent there`);
  }
}
