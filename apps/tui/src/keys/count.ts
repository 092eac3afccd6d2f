// Digits before a key: how often it is meant. A digit can be a command of its own too (the number of a screen), so a
// single one is kept back for a moment, until it is clear which of both it is.

/** So long a digit waits for the key it may belong to, milliseconds. */
const HOLD_MS = 300;
const COUNT_MAX = 99_999;

/** Starts a timer and returns how to stop it; replaced in tests. */
export type Hold = (run: () => void) => () => void;

const hold: Hold = (run) => {
  const timer = setTimeout(run, HOLD_MS);
  return () => clearTimeout(timer);
};

/** The digits typed so far. */
export interface Count {
  /** Whether this character goes on with a number, or may begin one. */
  readonly takes: (character: string) => boolean;
  /** Adds a digit; where it is a command by itself, `alone` is run if nothing follows. */
  readonly add: (digit: string, alone: (() => void) | null) => void;
  /** What was typed, and forgets it; null where nothing was. */
  readonly end: () => { readonly times: number; readonly alone: (() => void) | null } | null;
}

/** No digits yet. */
export function createCount(holdBack: Hold = hold): Count {
  let digits = '';
  let command: (() => void) | null = null;
  let stop = (): void => undefined;
  const end: Count['end'] = () => {
    if (digits === '') return null;
    stop();
    const ended = { times: Math.min(COUNT_MAX, Number(digits)), alone: command };
    digits = '';
    command = null;
    return ended;
  };
  return {
    takes: (character) => /^[1-9]$/.test(character) || (character === '0' && digits !== ''),
    add(digit, alone) {
      stop();
      // Two digits are a number, whatever each of them is.
      command = digits === '' ? alone : null;
      digits += digit;
      if (command !== null) stop = holdBack(() => end()?.alone?.());
    },
    end,
  };
}
