// The start of the single executable: the installed file hands over to the newest downloaded one that works. It counts
// the starts of one on trial before each of them, so that one that crashes is rolled back whatever it does.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Defect, Program, ProgramFolder, ProgramState } from './program-folder.ts';
import { compareVersions } from './version.ts';

/** Starts of an executable on trial without an accepted report, before it is rolled back. */
export const TRIAL_STARTS = 3;
/** Tells a downloaded executable who started it. It is removed from the environment at once. */
const HANDED_OVER = 'QUARTERDECK_AGENT_HANDED_OVER';

/** The installed executable. */
export interface Installed {
  readonly path: string;
  readonly version: string;
}

/** The start of a process of the agent. */
export interface Launch {
  readonly installed: Installed;
  /** Version that runs in place of the installed executable; undefined where that one itself runs. */
  readonly downloaded: string | undefined;
}

/** Parts that a test replaces. */
export interface HandOverOptions {
  readonly installed: Installed;
  readonly folder: ProgramFolder;
  /** Prints a line for the operator. */
  readonly say: (line: string) => void;
}

/** An executable that was chosen while another version was installed gives way to a newer installed one. */
function holds({ version, over }: Program, installed: Installed): boolean {
  return over === installed.version || compareVersions(version, installed.version) > 0;
}

/** Removes what a newer installed executable has replaced. */
function withoutOutdated(state: ProgramState, installed: Installed): ProgramState {
  const kept = <P extends Program>(program: P | undefined) =>
    program !== undefined && holds(program, installed) ? program : undefined;
  return { ...state, current: kept(state.current), previous: kept(state.previous), trial: kept(state.trial) };
}

const why = ({ version }: Program, defect: Defect): string => `version ${version} ${defect}`;

/** Prepares the next start of the executable on trial; undefined where it has had all of them or cannot run. */
async function startTrial(state: ProgramState, { folder, say }: HandOverOptions): Promise<Program | undefined> {
  const { trial } = state;
  if (trial === undefined) return undefined;
  const defect = await folder.defectOf(trial);
  const isUsedUp = trial.starts >= TRIAL_STARTS;
  if (defect === undefined && !isUsedUp) {
    // Not counted is not started: one that crashes would otherwise start for ever.
    await folder.save({ ...state, trial: { ...trial, starts: trial.starts + 1 } });
    return trial;
  }
  const reason = defect ?? `started ${trial.starts} times without an accepted report`;
  say(`rolls back from version ${trial.version}: it ${reason}`);
  await folder.rollBack(state, reason);
  return undefined;
}

/** Chooses the executable to run; undefined for the installed one. A failure is a word, never the end of the start. */
export async function chooseProgram(options: HandOverOptions): Promise<Program | undefined> {
  const { folder, installed, say } = options;
  let state: ProgramState;
  try {
    state = withoutOutdated(await folder.load(), installed);
  } catch (error) {
    say(`starts the installed version ${installed.version}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
  const trial = await startTrial(state, options).catch((error: unknown) => {
    say(`does not start version ${state.trial?.version}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  });
  if (trial !== undefined) return trial;
  for (const program of [state.current, state.previous]) {
    const defect = program === undefined ? undefined : await folder.defectOf(program);
    if (program !== undefined && defect === undefined) return program;
    if (program !== undefined && defect !== undefined) say(`ignores ${why(program, defect)}`);
  }
  return undefined;
}

/** Replaces this process by another executable, with the same arguments. */
function replaceProcess(path: string, env: NodeJS.ProcessEnv): never {
  const { execve } = process;
  if (execve === undefined) throw new Error('this Node cannot replace its process');
  return execve.call(process, path, [path, ...process.argv.slice(2)], env);
}

/** Starts a downloaded executable in place of this process. */
export function handOver(
  folder: ProgramFolder,
  { file, version }: Program,
  installed: Installed,
  env: NodeJS.ProcessEnv,
): never {
  return replaceProcess(folder.fileAt(file), { ...env, [HANDED_OVER]: JSON.stringify({ installed, version }) });
}

/** Reports whether the installed executable has started this process. */
export const isHandedOver = (env: NodeJS.ProcessEnv): boolean => env[HANDED_OVER] !== undefined;

/** Reads who started this process, and removes it from the environment. */
export function takeLaunch(env: NodeJS.ProcessEnv, own: Installed): Launch {
  const handed = env[HANDED_OVER];
  delete env[HANDED_OVER];
  if (handed === undefined) return { installed: own, downloaded: undefined };
  const { installed, version } = JSON.parse(handed) as { installed: Installed; version: string };
  return { installed, downloaded: version };
}

/**
 * Starts the agent again through the installed executable, which chooses the one to run. Returns where that file cannot
 * be executed any more.
 */
export async function startAgain({ installed }: Launch, env: NodeJS.ProcessEnv): Promise<void> {
  const isThere = await access(installed.path, constants.X_OK).then(
    () => true,
    () => false,
  );
  // A failed replacement would abort the process.
  if (isThere) replaceProcess(installed.path, env);
}
