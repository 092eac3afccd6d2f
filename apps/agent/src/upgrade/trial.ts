// The trial of a new version inside its own process: the first accepted report ends it. Without one in time, the agent
// goes back to the version before.
import type { Logger } from 'pino';
import { findAgentDir } from '../files/agent-dir.ts';
import type { Launch } from './hand-over.ts';
import { NO_PROGRAMS, type ProgramFolder, type ProgramState, programFolderIn } from './program-folder.ts';

export interface TrialOptions {
  readonly folder: ProgramFolder;
  readonly launch: Launch;
  /** Time until the first accepted report. */
  readonly reportWithinMs: number;
  readonly log: Logger;
  /** Stops the agent and starts it again through the installed executable. */
  readonly restart: () => void;
}

export interface Trial {
  /** The server has accepted a report: the version stays. */
  accept(): Promise<void>;
  /** Ends the waiting for a report, without a result. */
  close(): void;
}

/** Rolls back from the version of this process, if it is on trial. Returns whether it was. */
export async function refuseTrial({ downloaded }: Launch, reason: string): Promise<boolean> {
  const agentDir = downloaded === undefined ? undefined : findAgentDir();
  if (agentDir === undefined) return false;
  const folder = programFolderIn(agentDir);
  const state = await folder.load().catch(() => NO_PROGRAMS);
  if (state.trial?.version !== downloaded) return false;
  return await folder.rollBack(state, reason).then(
    () => true,
    () => false,
  );
}

/** Begins the trial of this process; undefined where its version is not on trial. */
export async function openTrial(options: TrialOptions): Promise<Trial | undefined> {
  const { folder, launch, reportWithinMs, log, restart } = options;
  if (launch.downloaded === undefined) return undefined;
  const version = launch.downloaded;
  const isOnTrial = ({ trial }: ProgramState) => trial?.version === version;
  if (!isOnTrial(await folder.load().catch(() => NO_PROGRAMS))) return undefined;

  let isOver = false;
  let last: Promise<unknown> = Promise.resolve();

  /** A report that is accepted at the deadline and the deadline itself must not change the folder at once. */
  function serialize<T>(change: () => Promise<T>): Promise<T> {
    const result = last.then(change);
    last = result.catch(() => undefined);
    return result;
  }

  const timer = setTimeout(() => void serialize(refuse), reportWithinMs);

  async function refuse(): Promise<void> {
    if (isOver) return;
    isOver = true;
    const reason = `sent no accepted report within ${Math.round(reportWithinMs / 1000)} s`;
    log.error({ version, reason }, 'this version is rolled back');
    // A roll-back that is not saved is made up by the count of starts.
    await folder.load().then(
      (state) => (isOnTrial(state) ? folder.rollBack(state, reason) : undefined),
      () => undefined,
    );
    restart();
  }

  async function accept(): Promise<void> {
    if (isOver) return;
    try {
      const state = await folder.load();
      if (!isOnTrial(state) || state.trial === undefined) return;
      const { file, sha256, over } = state.trial;
      const current = { version, file, sha256, over };
      const accepted = { ...state, current, previous: state.current, trial: undefined };
      await folder.save(accepted);
      isOver = true;
      clearTimeout(timer);
      log.info({ version }, 'upgraded: the server has accepted a report of this version');
      await folder.sweep(accepted);
    } catch (error) {
      log.error({ reason: String(error) }, 'cannot note that this version works; trying again after the next report');
    }
  }

  return { accept: () => serialize(accept), close: () => clearTimeout(timer) };
}
