// The environment and the folder of the agent, for the launcher too: it depends on Node alone and starts before the
// configuration is read.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { readSmallFile, valueIn } from '@quarterdeck/core/small-file';

/** The environment of this process. */
export const ownEnvironment: NodeJS.ProcessEnv = process.env;

/** Variable that names the folder. */
export const AGENT_DIR = 'QUARTERDECK_AGENT_DIR';

/** The user that runs the agent; decides the default folder. */
export interface ProcessUser {
  /** undefined on platforms without user ids. */
  readonly uid: number | undefined;
  readonly home: () => string;
}

/** The user of this process. */
export const thisUser = (): ProcessUser => ({ uid: process.getuid?.(), home: homedir });

/** Default folder: the system's place for root, the user's own for everybody else. Throws for a user without a home. */
export function defaultAgentDir(env: Readonly<Record<string, string | undefined>>, by: ProcessUser): string {
  if (by.uid === 0) return '/var/lib/quarterdeck-agent';
  const stateHome = env['XDG_STATE_HOME'];
  if (stateHome !== undefined && isAbsolute(stateHome)) return join(stateHome, 'quarterdeck-agent');
  return join(by.home(), '.local', 'state', 'quarterdeck-agent');
}

/** Finds the folder before the configuration is read; undefined where the configuration will be refused. */
export function findAgentDir(env = ownEnvironment): string | undefined {
  const file = valueIn(env[`${AGENT_DIR}_FILE`] ?? '');
  try {
    const given = valueIn(env[AGENT_DIR] || (file === '' ? '' : readSmallFile(file)));
    return given === '' ? defaultAgentDir(env, thisUser()) : resolve(given);
  } catch {
    return undefined;
  }
}
