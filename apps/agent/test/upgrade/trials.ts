// Begins the trial of a downloaded version in the process of a test.
import { createLog } from '../../src/log.ts';
import { openTrial } from '../../src/upgrade/trial.ts';
import type { Host } from './downloads.ts';

/** Begins a trial. Returns it with what it said and did. */
export async function beginTrial({ folder, launch }: Host, version: string | undefined, reportWithinMs = 60_000) {
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) }, 'debug', false);
  const { promise: restarted, resolve: restart } = Promise.withResolvers<void>();
  const trial = await openTrial({ folder, launch: launch(version), reportWithinMs, log, restart });
  return { trial, lines, restarted };
}
