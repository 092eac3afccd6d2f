// Order of key presses. A key may open the screen that the next key is meant for. So each press waits until the screen
// shows the result of the press before.

/** Presses in order. */
export interface PressQueue<T> {
  /** Adds presses at the end; handles the first one at once unless one is waiting for the screen. */
  readonly push: (items: readonly T[]) => void;
  /** Puts presses at the front, while a press is being handled. */
  readonly requeue: (...items: readonly T[]) => void;
  /** Puts a press at the front and handles it after the next render. */
  readonly defer: (item: T) => void;
  /** Sets the function that runs a callback after the next render. Without one, callbacks run at once. */
  readonly setAfterRender: (afterRender: (run: () => void) => void) => void;
}

/** Creates an empty queue; `handle` handles one press. */
export function createPressQueue<T>(handle: (item: T) => void): PressQueue<T> {
  let afterRender = (run: () => void): void => run();
  let queue: T[] = [];
  let isWaiting = false;

  const wait = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    afterRender(() => handleNext(true));
  };
  // The last press of a chunk waits too, so that a press of the next chunk sees its result.
  const handleNext = (isAfterRender: boolean): void => {
    isWaiting = false;
    const item = queue.shift();
    if (item === undefined) return;
    handle(item);
    if (queue.length > 0 || isAfterRender) wait();
  };

  return {
    push(items) {
      queue = [...queue, ...items];
      if (!isWaiting) handleNext(false);
    },
    requeue: (...items) => void queue.unshift(...items),
    defer(item) {
      queue.unshift(item);
      wait();
    },
    setAfterRender(next) {
      afterRender = next;
    },
  };
}
