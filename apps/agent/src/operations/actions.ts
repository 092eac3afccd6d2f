// What is done for each kind of operation.
import type { Command } from '../config-values.ts';
import type { CollectFacts } from '../facts/collect.ts';
import { runHook } from './hook.ts';
import type { Actions } from './operations.ts';

/** What {@link actionsOf} needs. */
export interface ActionOptions {
  readonly collect: CollectFacts;
  /** Has the next report say everything. */
  readonly tellAll: () => void;
  /** Opens the followed files anew; undefined where none are followed. */
  readonly reopenFiles: (() => void) | undefined;
  /** The operator's command for upgrades. */
  readonly upgradeCommand: Command | undefined;
  /** Where commands are looked for. */
  readonly path: string;
}

/** The actions of this host. */
export const actionsOf = ({ collect, tellAll, reopenFiles, upgradeCommand, path }: ActionOptions): Actions => ({
  async collect_facts() {
    await collect({ all: true });
    tellAll();
    return { ok: true, detail: 'all facts are reported anew' };
  },
  async restart_tailer() {
    if (reopenFiles === undefined) return { ok: false, detail: 'no log files are followed on this host' };
    reopenFiles();
    return { ok: true, detail: 'all log files are opened anew' };
  },
  async upgrade({ order, signal, onProgress }) {
    if (upgradeCommand === undefined) return { ok: false, detail: 'no upgrade command is configured on this host' };
    return await runHook({ command: upgradeCommand, path, version: order.params?.version, signal, onProgress });
  },
});
