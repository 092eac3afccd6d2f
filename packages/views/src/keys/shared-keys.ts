// The keys that every front end has. Each has further ones of its own.
import type { Binding } from './binding.ts';

/** Keys and words of the commands of every list, and of the help. */
export const SHARED_KEYS = {
  down: { keys: ['j', 'down'], help: 'Next row', repeats: true, plain: true },
  up: { keys: ['k', 'up'], help: 'Previous row', repeats: true, plain: true },
  top: { keys: ['g g', 'home'], help: 'First row', word: 'top' },
  bottom: { keys: ['G', 'end'], help: 'Last row', word: 'bottom' },
  filter: {
    keys: ['/'],
    hint: 'filter',
    help: 'Filter: text, -text, field:value, /expression/; see :help filter',
    word: 'filter',
  },
  open: {
    keys: ['enter', 'o'],
    hint: 'details',
    help: 'Show the details; repeat for full screen',
    plain: true,
    yields: true,
  },
  close: {
    keys: ['escape', 'q'],
    hint: 'close',
    help: 'Close the details, or clear the filter or marks',
    plain: true,
  },
  help: { keys: ['?', 'f1'], hint: 'help', help: 'Show all keys', word: 'help' },
} as const satisfies Record<string, Binding>;
