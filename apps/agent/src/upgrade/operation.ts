// The operation `upgrade` of a single executable that replaces itself. Its result is known after the next start.
import type { ActionContext, OperationResult } from '../operations/operations.ts';
import { isUpgradeFailure, UpgradeError, type Upgrader } from './upgrader.ts';

export interface SelfUpgradeOptions {
  readonly upgrader: Upgrader;
  readonly version: string;
  /** Stops the agent and starts the new version. */
  readonly restart: () => void;
}

const aborted = (signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
};

/** Creates the handler. It returns only where the new version does not start. */
export function createSelfUpgrade({ upgrader, version, restart }: SelfUpgradeOptions) {
  return async ({ operation, signal, onProgress, onVersion }: ActionContext): Promise<OperationResult> => {
    try {
      onProgress(1, 'reading the signature');
      const offer = await upgrader.check(signal);
      const wanted = operation.params?.version ?? offer.version;
      if (offer.version !== wanted) throw new UpgradeError(`the address offers ${offer.version}, not ${wanted}`);
      if (wanted === version) return { ok: true, detail: `version ${version} runs already` };
      // The start after this decides by it whether the operation has succeeded.
      await onVersion(wanted);
      const report = (percent: number) => onProgress(Math.max(1, percent - 1), `downloading ${wanted}`);
      await upgrader.stage(offer, { signal, onProgress: report });
    } catch (error) {
      if (!isUpgradeFailure(error)) throw error;
      return { ok: false, detail: error.message };
    }
    onProgress(99, 'restarting');
    restart();
    await aborted(signal);
    return { ok: false, detail: 'the agent did not restart before the deadline' };
  };
}
