// The only table of keys. Help, hints, palette and command line derive from it.
import { contract } from '@quarterdeck/core';
import type { Binding } from './binding.ts';
import { FLEET_KEYS } from './keymap-fleet.ts';
import { LIST_KEYS } from './keymap-list.ts';
import { SCREEN_KEYS } from './keymap-screens.ts';

const { errlog, agent, agentOperation, apiToken, enrollment, kernelRule, outage, user, audit } = contract;

/** Commands by scope. */
export const KEYMAP = {
  always: {
    quitNow: { keys: ['ctrl+c'], help: 'Quit from anywhere', plain: true },
    redraw: { keys: ['ctrl+l'], help: 'Redraw the screen', word: 'redraw' },
    mouse: { keys: ['f12'], help: 'Switch the mouse on or off', word: 'mouse' },
    suspend: { keys: ['ctrl+z'], help: 'Suspend to the shell; fg resumes', plain: true },
  },
  app: {
    goOverview: { keys: ['1'], help: 'Go to the overview', word: 'overview' },
    goErrlog: { keys: ['2'], help: 'Go to the error logs', word: 'logs', access: errlog.list.access },
    goAgents: { keys: ['3'], help: 'Go to the agents', word: 'agents', access: agent.list.access },
    goApiTokens: { keys: ['4'], help: 'Go to the API tokens', word: 'tokens', access: apiToken.list.access },
    goUsers: { keys: ['5'], help: 'Go to the users', word: 'users', access: user.list.access },
    goAudit: { keys: ['6'], help: 'Go to the audit log', word: 'audit', access: audit.list.access },
    goAccount: { keys: ['7'], help: 'Go to your account and sessions', word: 'account' },
    goMessages: { keys: ['8'], help: 'Go to the messages', word: 'messages' },
    goRequests: { keys: ['9'], help: 'Go to the requests of this dashboard', word: 'requests' },
    goEnrollment: {
      keys: ['g e'],
      help: 'Go to the enrolment tokens',
      word: 'enrolment',
      access: enrollment.list.access,
    },
    goOperations: {
      keys: ['g o'],
      help: 'Go to the operations of agents',
      word: 'operations',
      access: agentOperation.list.access,
    },
    goKernelRules: {
      keys: ['g k'],
      help: 'Go to the rules for bad kernels',
      word: 'kernels',
      access: kernelRule.list.access,
    },
    goOutages: {
      keys: ['g u'],
      help: 'Go to the outages: when many agents went silent together',
      word: 'outages',
      access: outage.list.access,
    },
    goProfiles: { keys: ['P'], help: 'Go to the profiles: other servers', word: 'profiles' },
    goSettings: { keys: ['f2', ','], help: 'Go to the settings', word: 'settings' },
    goInfo: { keys: [], help: 'Go to versions, paths and terminal features', word: 'info' },
    palette: { keys: ['ctrl+p'], hint: 'find', help: 'Find a command or a screen', word: 'palette' },
    command: { keys: [':'], hint: 'command', help: 'Type a command', plain: true },
    help: { keys: ['?', 'f1'], hint: 'help', help: 'Show all keys', word: 'help' },
    back: { keys: ['escape', 'q'], hint: 'back', help: 'Go back', word: 'back', yields: true },
    quitHere: { keys: ['q'], hint: 'quit', help: 'Quit', plain: true, yields: true },
    signOut: { keys: [], help: 'Sign out', word: 'logout' },
    quit: { keys: ['Q'], help: 'Quit from any screen', word: 'quit' },
  },
  list: LIST_KEYS,
  ...SCREEN_KEYS,
  ...FLEET_KEYS,
  signIn: {
    submit: { keys: ['enter'], hint: 'sign in', help: 'Sign in' },
    profiles: { keys: ['f3', 'ctrl+o'], hint: 'other server', help: 'Choose another server' },
  },
  form: {
    submit: { keys: ['enter'], hint: 'submit', help: 'Submit the form' },
    cancel: { keys: ['escape'], hint: 'cancel', help: 'Cancel the form' },
  },
  fields: {
    nextField: { keys: ['tab', 'down'], hint: 'next field', help: 'Next field', repeats: true },
    previousField: { keys: ['shift+tab', 'up'], help: 'Previous field', repeats: true },
    left: { keys: ['left'], help: 'Previous character or option', repeats: true },
    right: { keys: ['right'], help: 'Next character or option', repeats: true },
    start: { keys: ['home', 'ctrl+a'], help: 'Start of the field' },
    end: { keys: ['end', 'ctrl+e'], help: 'End of the field' },
    editor: { keys: ['f4', 'ctrl+x ctrl+e'], hint: '$EDITOR', help: 'Edit the text in your editor' },
    erase: { keys: ['backspace'], help: 'Delete the previous character', repeats: true },
    eraseForward: { keys: ['delete', 'ctrl+d'], help: 'Delete the next character', repeats: true },
    eraseWord: { keys: ['ctrl+w'], help: 'Delete the previous word' },
    eraseToStart: { keys: ['ctrl+u'], help: 'Delete to the start' },
    eraseToEnd: { keys: ['ctrl+k'], help: 'Delete to the end' },
  },
  prompt: {
    submit: { keys: ['enter'], hint: 'submit', help: 'Submit the input' },
    cancel: { keys: ['escape'], hint: 'cancel', help: 'Cancel the input' },
    complete: { keys: ['tab'], hint: 'complete', help: 'Complete the word' },
    older: { keys: ['up', 'ctrl+p'], hint: 'history', help: 'Previous input' },
    newer: { keys: ['down', 'ctrl+n'], help: 'Next input' },
  },
  edit: {
    left: { keys: ['left'], help: 'Previous character', repeats: true },
    right: { keys: ['right'], help: 'Next character', repeats: true },
    start: { keys: ['home', 'ctrl+a'], help: 'Start of the line' },
    end: { keys: ['end', 'ctrl+e'], help: 'End of the line' },
    erase: { keys: ['backspace'], help: 'Delete the previous character', repeats: true },
    eraseForward: { keys: ['delete', 'ctrl+d'], help: 'Delete the next character', repeats: true },
    eraseWord: { keys: ['ctrl+w'], help: 'Delete the previous word' },
    eraseToStart: { keys: ['ctrl+u'], help: 'Delete to the start' },
    eraseToEnd: { keys: ['ctrl+k'], help: 'Delete to the end' },
  },
  choose: {
    take: { keys: ['enter'], hint: 'choose', help: 'Choose the selected one' },
    next: { keys: ['down', 'ctrl+n', 'tab'], hint: 'next', help: 'Next choice', repeats: true },
    previous: { keys: ['up', 'ctrl+p', 'shift+tab'], help: 'Previous choice', repeats: true },
    pageDown: { keys: ['pagedown'], help: 'A page down', repeats: true },
    pageUp: { keys: ['pageup'], help: 'A page up', repeats: true },
    close: { keys: ['escape'], hint: 'close', help: 'Close' },
  },
  confirm: {
    choose: { keys: ['enter'], hint: 'choose', help: 'Choose the selected answer' },
    toggle: {
      keys: ['tab', 'left', 'right', 'h', 'l', 'shift+tab'],
      hint: 'other answer',
      help: 'Select the other answer',
    },
    no: { keys: ['n', 'escape', 'q'], hint: 'no', help: 'No' },
    yes: { keys: ['y'], hint: 'yes', help: 'Yes' },
  },
  secret: {
    copy: { keys: ['y'], hint: 'copy', help: 'Copy the secret to the clipboard of your terminal' },
    copyCommand: { keys: ['c'], hint: 'copy command', help: 'Copy the command line for the host' },
    close: { keys: ['escape'], hint: 'close', help: 'Close; the secret is not shown again' },
  },
  text: {
    scrollDown: { keys: ['j', 'down', 'ctrl+d', 'pagedown', 'space'], hint: 'scroll', help: 'Scroll', repeats: true },
    scrollUp: { keys: ['k', 'up', 'ctrl+u', 'pageup'], help: 'Scroll back', repeats: true },
    copy: { keys: ['y'], hint: 'copy', help: 'Copy the text' },
    close: { keys: ['escape', 'q', 'enter'], hint: 'close', help: 'Close' },
  },
} as const satisfies Record<string, Record<string, Binding>>;

/** Name of a group of commands. */
export type Scope = keyof typeof KEYMAP;

/**
 * Places that hear keys. The place of the highest rank hears them: a screen, an overlay over it, or a modal dialog over
 * both. Every screen shares the keyboard with `app`.
 */
export const PLACES = {
  app: { title: 'Everywhere', rank: 'screen', scopes: ['app'] },
  overview: { title: 'Overview', rank: 'screen', scopes: ['overview'] },
  errlog: { title: 'Error logs', rank: 'screen', scopes: ['list', 'errlog'] },
  agents: { title: 'Agents', rank: 'screen', scopes: ['list', 'agents'] },
  apiTokens: { title: 'API tokens', rank: 'screen', scopes: ['list', 'apiTokens'] },
  users: { title: 'Users', rank: 'screen', scopes: ['list', 'users'] },
  audit: { title: 'Audit log', rank: 'screen', scopes: ['list', 'audit'] },
  account: { title: 'Account', rank: 'screen', scopes: ['list', 'account'] },
  messages: { title: 'Messages', rank: 'screen', scopes: ['list', 'messages'] },
  requests: { title: 'Requests', rank: 'screen', scopes: ['list', 'requests'] },
  enrollment: { title: 'Enrolment tokens', rank: 'screen', scopes: ['list', 'enrollment'] },
  operations: { title: 'Operations', rank: 'screen', scopes: ['list', 'operations'] },
  kernelRules: { title: 'Bad kernels', rank: 'screen', scopes: ['list', 'kernelRules'] },
  outages: { title: 'Outages', rank: 'screen', scopes: ['list', 'outages'] },
  profiles: { title: 'Profiles', rank: 'screen', scopes: ['list', 'profiles'] },
  settings: { title: 'Settings', rank: 'screen', scopes: ['list', 'settings'] },
  info: { title: 'Info', rank: 'screen', scopes: ['list'] },
  form: { title: 'Form', rank: 'overlay', scopes: ['form', 'fields'] },
  confirm: { title: 'Question', rank: 'overlay', scopes: ['confirm'] },
  typedConfirm: { title: 'Question', rank: 'overlay', scopes: ['form', 'edit'] },
  secret: { title: 'New secret', rank: 'overlay', scopes: ['secret'] },
  text: { title: 'Text', rank: 'overlay', scopes: ['text'] },
  prompt: { title: 'Prompt', rank: 'overlay', scopes: ['prompt', 'edit'] },
  choose: { title: 'Choice', rank: 'overlay', scopes: ['choose', 'edit'] },
  confirmation: { title: 'Confirmation', rank: 'modal', scopes: ['form', 'fields'] },
  signIn: { title: 'Sign in', rank: 'modal', scopes: ['signIn', 'fields'] },
  signInProfiles: { title: 'Servers', rank: 'modal', scopes: ['choose', 'edit'] },
  root: { title: 'Always', rank: 'root', scopes: ['always'] },
} as const satisfies Record<string, { title: string; rank: Rank; scopes: readonly Scope[] }>;

/** Ranks of places, from bottom to top. `root` always hears keys. */
export type Rank = 'screen' | 'overlay' | 'modal' | 'root';

/** Name of a place. */
export type Place = keyof typeof PLACES;

/** Commands of a place. */
export type CommandOf<P extends Place> = {
  [S in (typeof PLACES)[P]['scopes'][number]]: keyof (typeof KEYMAP)[S];
}[(typeof PLACES)[P]['scopes'][number]];

/** Replacement keys by `scope.command`. */
export type Rebound = Readonly<Record<string, readonly string[]>>;

/** A command as `scope.command`. */
export type CommandName = { [S in Scope]: `${S}.${keyof (typeof KEYMAP)[S] & string}` }[Scope];

/** All commands as `scope.command`, for the settings. */
export const COMMAND_NAMES: ReadonlySet<string> = new Set(
  Object.entries(KEYMAP).flatMap(([scope, commands]) => Object.keys(commands).map((command) => `${scope}.${command}`)),
);

/** Commands of a place with their bindings, in the order of the table. */
export function bindingsOf(
  place: Place,
  rebound: Rebound = {},
): readonly (readonly [command: string, binding: Binding])[] {
  return PLACES[place].scopes.flatMap((scope) =>
    Object.entries<Binding>(KEYMAP[scope]).map(([command, binding]) => {
      const keys = rebound[`${scope}.${command}`];
      return [command, keys === undefined ? binding : { ...binding, keys }] as const;
    }),
  );
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

/** Formats a key for display: `Ctrl-d`, `Esc`, `g g`. */
export function keyName(key: string): string {
  return key
    .split(' ')
    .map((stroke) => {
      // `+` is also a key of its own.
      const parts = stroke.split(/\+(?=.)/);
      const last = parts.pop() ?? '';
      const modifiers = parts.map((part) => `${part[0]?.toUpperCase()}${part.slice(1)}-`).join('');
      return modifiers + (KEY_NAMES[last] ?? (/^f\d+$/.test(last) ? last.toUpperCase() : last));
    })
    .join(' ');
}
