// Counts: digits typed in front of a key. A single digit can be a command too: the number of a screen. So it is held
// back until the next key, or for a moment.

/** Longest wait of a digit for the key after it, milliseconds. */
const HOLD_MS = 300;
const COUNT_MAX = 99_999;

/** Starts a timer and returns a function that stops it; replaced in tests. */
export type Hold = (run: () => void) => () => void;

const hold: Hold = (run) => {
  const timer = setTimeout(run, HOLD_MS);
  return () => clearTimeout(timer);
};

/** The digits typed so far. */
export interface Count {
  /** The digits; empty if none was typed. */
  readonly digits: () => string;
  /** Returns whether a character continues the number, or may begin one. */
  readonly takes: (character: string) => boolean;
  /** Adds a digit. If it is a command itself, `alone` runs it when no key follows. */
  readonly add: (digit: string, alone: (() => void) | null) => void;
  /** Keeps the number for the end of a chord. */
  readonly keep: () => void;
  /** Ends the count and returns it; null if no digit was typed. */
  readonly end: () => { readonly times: number; readonly alone: (() => void) | null } | null;
}

/** Creates an empty count. */
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
    digits: () => digits,
    takes: (character) => /^[1-9]$/.test(character) || (character === '0' && digits !== ''),
    add(digit, alone) {
      stop();
      // Two digits are always a number.
      command = digits === '' ? alone : null;
      digits += digit;
      if (command !== null) stop = holdBack(() => end()?.alone?.());
    },
    keep() {
      stop();
      command = null;
    },
    end,
  };
}
