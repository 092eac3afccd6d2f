// Joins the parts that replace the executable of a running agent.
import type { Logger } from 'pino';
import type { HandlerOptions } from '../operations/handlers.ts';
import type { Launch } from './hand-over.ts';
import { createSelfUpgrade } from './operation.ts';
import { NO_PROGRAMS, programFolderIn } from './program-folder.ts';
import { openTrial, type Trial } from './trial.ts';
import { createUpgrader, type UpgradeSettings } from './upgrader.ts';

export interface UpgradesOptions {
  readonly version: string;
  readonly log: Logger;
  /** Stops the agent and starts it again. */
  readonly restart: () => void;
}

export interface Upgrades {
  /** Handler of the operation; undefined where nothing is configured. */
  readonly selfUpgrade: HandlerOptions['selfUpgrade'];
  /** Finds why a version was rolled back; undefined when it was not. */
  readonly refusalOf: (version: string) => string | undefined;
  /** The trial of this version, if it is on one. */
  readonly trial: Trial | undefined;
}

interface UpgradeConfig {
  readonly agentDir: string;
  /** Source of upgrades of a single executable; undefined = none. */
  readonly upgrade: UpgradeSettings | undefined;
  /** Seconds in which a new version must report. */
  readonly upgradeTrialS: number;
}

/** Opens the upgrades of this process; undefined where it is no single executable. */
export async function openUpgrades(
  { agentDir, upgrade: settings, upgradeTrialS }: UpgradeConfig,
  launch: Launch | undefined,
  { version, log, restart }: UpgradesOptions,
): Promise<Upgrades | undefined> {
  if (launch === undefined) return undefined;
  const folder = programFolderIn(agentDir);
  const { refused } = await folder.load().catch(() => NO_PROGRAMS);
  const { installed } = launch;
  const upgrader = settings && createUpgrader({ settings, folder, installed, version, arch: process.arch });
  return {
    selfUpgrade: upgrader && createSelfUpgrade({ upgrader, version, restart }),
    refusalOf: (one) => refused.find((refusal) => refusal.version === one)?.reason,
    trial: await openTrial({ folder, launch, reportWithinMs: upgradeTrialS * 1000, log, restart }),
  };
}
