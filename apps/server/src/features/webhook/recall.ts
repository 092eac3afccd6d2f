// Attempts to send messages that run in this process. Where the text of a message is erased, the attempts of its
// channel end, and the next one sends what the database has.

export interface RunningAttempts {
  /** Reads and sends a message of a channel, with a signal that {@link RunningAttempts.recall} aborts. */
  run<T>(webhookId: number, attempt: (recalled: AbortSignal) => Promise<T>): Promise<T>;
  /** Ends the attempts of these channels. */
  recall(webhookIds: Iterable<number>): void;
}

/** Creates an empty set of attempts. */
export function createRunningAttempts(): RunningAttempts {
  const running = new Map<number, AbortController>();
  return {
    async run(webhookId, attempt) {
      const recalled = new AbortController();
      running.set(webhookId, recalled);
      try {
        return await attempt(recalled.signal);
      } finally {
        running.delete(webhookId);
      }
    },
    recall(webhookIds) {
      for (const id of webhookIds) running.get(id)?.abort();
    },
  };
}
