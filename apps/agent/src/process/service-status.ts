// Tells the service manager how the reports of the agent go.
import type { Notifier } from '@quarterdeck/core/systemd';

/**
 * Returns a function to call after each report, with the reason of its failure. The agent is ready after the first one,
 * also when it failed: a restart would not bring the server back, and the agent reads logs and retries.
 */
export function createServiceStatus(notifier: Notifier, server: string): (failure: string | undefined) => void {
  let last: string | undefined;
  return (failure) => {
    const text = failure ?? `reports to ${server}`;
    if (last === undefined) notifier.ready(text);
    else if (text !== last) notifier.status(text);
    last = text;
  };
}
