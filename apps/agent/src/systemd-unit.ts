// The systemd unit of the agent, for its removal.
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Exec } from './facts/exec.ts';

/** Name of the unit in packaging/systemd. */
export const UNIT = 'quarterdeck-agent.service';

const UNIT_DIR = '/etc/systemd/system';
const STATE_DIR = '/var/lib';
const DEFAULT_DIR = '%S/quarterdeck-agent';
/** Time in which systemd stops an agent, with its last report. */
export const STOP_MAX_MS = 30_000;

/** The unit of an agent. */
export interface Unit {
  readonly path: string;
  /** Stops the agent and does not start it any more; false where systemd did not do it. */
  stop(): Promise<boolean>;
  /** Deletes the file of the unit. */
  remove(): Promise<void>;
}

/**
 * Finds the unit that runs the agent of a folder; undefined where there is none. A unit of that name that describes
 * another program, or that names another folder, is somebody else's.
 */
export async function findUnit(agentDir: string, exec: Exec, unitDir = UNIT_DIR): Promise<Unit | undefined> {
  const path = join(unitDir, UNIT);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined || !/^Description=Quarterdeck agent$/m.test(text)) return undefined;
  const [, dir = DEFAULT_DIR] = /^Environment="?QUARTERDECK_AGENT_DIR=([^"\n]+)"?$/m.exec(text) ?? [];
  if (resolve(dir.replace('%S', STATE_DIR)) !== agentDir) return undefined;
  const systemctl = async (...words: string[]) => (await exec(['systemctl', ...words])).ok;
  return {
    path,
    stop: () => systemctl('disable', '--now', UNIT),
    async remove() {
      await rm(path, { force: true });
      await systemctl('daemon-reload');
    },
  };
}
