// Delays requests about the selected row while the selection moves.

/** Delay, milliseconds. */
const REST_MS = 150;

/** Resolves after the delay; rejects if the selection has moved. */
export const debounce = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, REST_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
