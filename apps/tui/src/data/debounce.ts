// A selection that only passes over rows asks for nothing.

/** The selection rests so long before what belongs to it is asked for, milliseconds. */
const REST_MS = 150;

/** Resolves once the selection has rested; rejects where it went on before. */
export const debounce = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, REST_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
