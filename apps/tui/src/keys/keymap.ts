// The only table of keys. Help and footer are made from it; nothing else names a key.
import { type Access, contract } from '@quarterdeck/core';

/** One command's keys and words. */
export interface Binding {
  /** What triggers it; the first is the one that is shown. A space inside separates the keys of a sequence. */
  readonly keys: readonly string[];
  /** A word or two for the footer; without it the command is listed in the help only. */
  readonly hint?: string;
  /** What it does, for the help. */
  readonly help: string;
  /** The endpoint's access; who may not call it is not offered the command. */
  readonly access?: Access;
  /** Pressed n times at once it is run once with n. */
  readonly repeats?: true;
}

/** Commands by scope. */
export const KEYMAP = {
  always: {
    quitNow: { keys: ['ctrl+c'], hint: 'quit', help: 'Quit from anywhere' },
  },
  app: {
    help: { keys: ['?'], hint: 'help', help: 'Show this list' },
    quit: { keys: ['q', 'Q'], hint: 'quit', help: 'Quit' },
    goErrlog: { keys: ['1'], help: 'Go to the error logs', access: contract.errlog.list.access },
    goAgents: { keys: ['2'], help: 'Go to the agents', access: contract.agent.list.access },
    goApiTokens: { keys: ['3'], help: 'Go to the API tokens', access: contract.apiToken.list.access },
  },
  list: {
    down: { keys: ['j', 'down'], help: 'Next row', repeats: true },
    up: { keys: ['k', 'up'], help: 'Previous row', repeats: true },
    top: { keys: ['g g', 'home'], help: 'First row' },
    bottom: { keys: ['G', 'end'], help: 'Last row' },
    halfDown: { keys: ['ctrl+d'], help: 'Half a page down', repeats: true },
    halfUp: { keys: ['ctrl+u'], help: 'Half a page up', repeats: true },
    pageDown: { keys: ['pagedown', 'ctrl+f'], help: 'A page down', repeats: true },
    pageUp: { keys: ['pageup', 'ctrl+b'], help: 'A page up', repeats: true },
    refresh: { keys: ['r'], hint: 'refresh', help: 'Read the list again' },
  },
  errlog: {
    open: { keys: ['enter'], hint: 'details', help: 'Show the whole entry' },
    follow: { keys: ['f'], hint: 'follow', help: 'Go to the newest and follow' },
    pause: { keys: ['=', 'space'], hint: 'pause', help: 'Pause, or go on' },
    levelUp: { keys: ['l'], hint: 'level', help: 'Show from the next level on' },
    levelDown: { keys: ['L'], help: 'Show from the level before on' },
    clearFilter: { keys: ['escape'], hint: 'all levels', help: 'Show every level again' },
  },
  agents: {
    open: { keys: ['enter'], hint: 'details', help: 'Show all facts of the agent' },
  },
  apiTokens: {
    create: { keys: ['a'], hint: 'add', help: 'Issue a new token', access: contract.apiToken.create.access },
    edit: {
      keys: ['e', 'enter'],
      hint: 'edit',
      help: 'Rename the token or change its expiry',
      access: contract.apiToken.update.access,
    },
    remove: {
      keys: ['D', 'delete'],
      hint: 'delete…',
      help: 'Delete the token; asks first',
      access: contract.apiToken.remove.access,
    },
  },
  detail: {
    next: { keys: ['j', 'down'], hint: 'next', help: 'Next row', repeats: true },
    previous: { keys: ['k', 'up'], hint: 'previous', help: 'Previous row', repeats: true },
    scrollDown: { keys: ['ctrl+d', 'pagedown', 'space'], hint: 'scroll', help: 'Scroll the text down', repeats: true },
    scrollUp: { keys: ['ctrl+u', 'pageup'], help: 'Scroll the text up', repeats: true },
    close: { keys: ['escape', 'q', 'enter'], hint: 'close', help: 'Close the details' },
  },
  signIn: {
    submit: { keys: ['enter'], hint: 'sign in', help: 'Sign in' },
  },
  form: {
    submit: { keys: ['enter'], hint: 'submit', help: 'Send the form' },
    cancel: { keys: ['escape'], hint: 'cancel', help: 'Close without sending' },
  },
  fields: {
    nextField: { keys: ['tab', 'down'], hint: 'next field', help: 'Next field', repeats: true },
    previousField: { keys: ['shift+tab', 'up'], help: 'Previous field', repeats: true },
    left: { keys: ['left'], help: 'One character or choice to the left', repeats: true },
    right: { keys: ['right'], help: 'One character or choice to the right', repeats: true },
    start: { keys: ['home', 'ctrl+a'], help: 'Start of the field' },
    end: { keys: ['end', 'ctrl+e'], help: 'End of the field' },
    erase: { keys: ['backspace'], help: 'Erase the character before', repeats: true },
    eraseForward: { keys: ['delete', 'ctrl+d'], help: 'Erase the character after', repeats: true },
    eraseWord: { keys: ['ctrl+w'], help: 'Erase the word before' },
    eraseToStart: { keys: ['ctrl+u'], help: 'Erase to the start' },
    eraseToEnd: { keys: ['ctrl+k'], help: 'Erase to the end' },
  },
  confirm: {
    choose: { keys: ['enter'], hint: 'choose', help: 'Take the marked answer' },
    toggle: {
      keys: ['tab', 'left', 'right', 'h', 'l', 'shift+tab'],
      hint: 'other answer',
      help: 'Mark the other answer',
    },
    no: { keys: ['n', 'escape', 'q'], hint: 'no', help: 'No' },
    yes: { keys: ['y'], hint: 'yes', help: 'Yes' },
  },
  secret: {
    copy: { keys: ['y'], hint: 'copy', help: 'Copy the secret to the clipboard of your terminal' },
    close: { keys: ['escape'], hint: 'close and forget', help: 'Close; the secret is not shown again' },
  },
  help: {
    scrollDown: { keys: ['j', 'down', 'ctrl+d', 'pagedown', 'space'], hint: 'scroll', help: 'Scroll', repeats: true },
    scrollUp: { keys: ['k', 'up', 'ctrl+u', 'pageup'], help: 'Scroll back', repeats: true },
    close: { keys: ['escape', 'q', '?', 'enter'], hint: 'close', help: 'Close the help' },
  },
} as const satisfies Record<string, Record<string, Binding>>;

/** Name of a group of commands. */
export type Scope = keyof typeof KEYMAP;

/**
 * Where keys can be heard. The place of the highest rank hears them: a screen, an overlay over it, the sign-in over
 * both. Screens share the keyboard with `app`.
 */
export const PLACES = {
  app: { title: 'Everywhere', rank: 'screen', scopes: ['app'] },
  errlog: { title: 'Error logs', rank: 'screen', scopes: ['errlog', 'list'] },
  agents: { title: 'Agents', rank: 'screen', scopes: ['agents', 'list'] },
  apiTokens: { title: 'API tokens', rank: 'screen', scopes: ['apiTokens', 'list'] },
  detail: { title: 'Details', rank: 'overlay', scopes: ['detail'] },
  form: { title: 'Form', rank: 'overlay', scopes: ['form', 'fields'] },
  confirm: { title: 'Question', rank: 'overlay', scopes: ['confirm'] },
  secret: { title: 'New secret', rank: 'overlay', scopes: ['secret'] },
  help: { title: 'Help', rank: 'overlay', scopes: ['help'] },
  signIn: { title: 'Sign in', rank: 'modal', scopes: ['signIn', 'fields'] },
  root: { title: 'Always', rank: 'root', scopes: ['always'] },
} as const satisfies Record<string, { title: string; rank: Rank; scopes: readonly Scope[] }>;

/** What covers what; `root` is heard whatever is open. */
export type Rank = 'screen' | 'overlay' | 'modal' | 'root';

/** Name of a place. */
export type Place = keyof typeof PLACES;

/** The commands of a place. */
export type CommandOf<P extends Place> = {
  [S in (typeof PLACES)[P]['scopes'][number]]: keyof (typeof KEYMAP)[S];
}[(typeof PLACES)[P]['scopes'][number]];

/** A place's commands with their bindings, in the order of the table. */
export function bindingsOf(place: Place): readonly (readonly [command: string, binding: Binding])[] {
  return PLACES[place].scopes.flatMap((scope) => Object.entries<Binding>(KEYMAP[scope]));
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  enter: 'Enter',
  escape: 'Esc',
  space: 'Space',
  tab: 'Tab',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
  backspace: 'Backspace',
  delete: 'Del',
};

/** A key as people read it: `Ctrl-d`, `Esc`, `g g`. */
export function keyName(key: string): string {
  return key
    .split(' ')
    .map((stroke) => {
      const parts = stroke.split('+');
      const last = parts.pop() ?? '';
      const modifiers = parts.map((part) => `${part[0]?.toUpperCase()}${part.slice(1)}-`).join('');
      return modifiers + (KEY_NAMES[last] ?? last);
    })
    .join(' ');
}
