// The only table of keys. Help, hints, palette and command line derive from it.

import { type Access, contract } from '@quarterdeck/core';
import type { Binding } from '@quarterdeck/views/keys';
import { SHARED_KEYS } from '@quarterdeck/views/keys';
import { ACCOUNT_KEYS } from './keymap-accounts.ts';
import { ALERT_KEYS } from './keymap-alerts.ts';
import { DIALOG_KEYS } from './keymap-dialogs.ts';
import { FLEET_KEYS } from './keymap-fleet.ts';
import { LIST_KEYS } from './keymap-list.ts';
import { SCREEN_KEYS } from './keymap-screens.ts';
import { RANGE_KEYS, TIMES_KEYS } from './keymap-times.ts';

const { errlog, line, change, agent, agentOperation, apiToken, enrollment, kernelRule, outage, user, audit } = contract;
const { alert, webhook } = contract;

/** Goes to a screen that has no number, from the menu of `g`. */
const inMenu = (key: string, word: string, screen: string, reads?: { readonly access: Access }) => ({
  keys: [`g ${key}`],
  hint: word,
  help: `Go to ${screen}`,
  word,
  ...(reads === undefined ? {} : { access: reads.access }),
});

/** Erases within a line. */
const ERASE_KEYS = {
  erase: { keys: ['backspace'], help: 'Delete the previous character', repeats: true },
  eraseForward: { keys: ['delete', 'ctrl+d'], help: 'Delete the next character', repeats: true },
  eraseWord: { keys: ['ctrl+w'], help: 'Delete the previous word' },
  eraseToStart: { keys: ['ctrl+u'], help: 'Delete to the start' },
  eraseToEnd: { keys: ['ctrl+k'], help: 'Delete to the end' },
} as const satisfies Record<string, Binding>;

/** Commands by scope. */
export const KEYMAP = {
  always: {
    quitNow: { keys: ['ctrl+c'], help: 'Quit from anywhere', plain: true },
    redraw: { keys: ['ctrl+l'], help: 'Redraw the screen', word: 'redraw' },
    mouse: { keys: ['f12'], help: 'Switch the mouse on or off', word: 'mouse' },
    suspend: { keys: ['ctrl+z'], help: 'Suspend to the shell; fg resumes', plain: true },
  },
  app: {
    goOverview: { keys: ['1', 'g 1'], help: 'Go to the overview', word: 'overview' },
    goErrlog: { keys: ['2', 'g 2'], help: 'Go to the error logs', word: 'logs', access: errlog.list.access },
    goAgents: { keys: ['3', 'g 3'], help: 'Go to the agents', word: 'agents', access: agent.list.access },
    goApiTokens: { keys: ['4', 'g 4'], help: 'Go to the API tokens', word: 'tokens', access: apiToken.list.access },
    goUsers: { keys: ['5', 'g 5'], help: 'Go to the users', word: 'users', access: user.list.access },
    goAudit: { keys: ['6', 'g 6'], help: 'Go to the audit log', word: 'audit', access: audit.list.access },
    goAccount: { keys: ['7', 'g 7'], help: 'Go to your account and sessions', word: 'account' },
    goLines: { keys: ['8', 'g 8'], help: 'Go to the stored lines', word: 'lines', access: line.list.access },
    goChanges: {
      keys: ['9', 'g 9'],
      help: 'Go to the changes and their effects',
      word: 'changes',
      access: change.list.access,
    },
    goMessages: { keys: ['g m'], help: 'Go to the messages', word: 'messages' },
    goRequests: inMenu('r', 'requests', 'the requests of this dashboard'),
    goSources: inMenu('s', 'sources', 'the sources of error logs and their ledger', errlog.sources),
    goEnrollment: inMenu('e', 'enrollment', 'the enrollment tokens', enrollment.list),
    goOperations: inMenu('o', 'operations', 'the operations of agents', agentOperation.list),
    goKernelRules: { ...inMenu('k', 'kernels', 'the rules for bad kernels', kernelRule.list), hint: 'bad kernels' },
    goOutages: inMenu('u', 'outages', 'the outages: when many agents went silent together', outage.list),
    goAlerts: inMenu('t', 'alerts', 'the alerts: what fires now, and what has ended', alert.instances),
    goAlertRules: { ...inMenu('T', 'rules', 'the rules of alerts', alert.list), hint: 'rules of alerts' },
    goWebhooks: inMenu('w', 'channels', 'the channels that alerts are sent to', webhook.list),
    goDeliveries: {
      keys: [],
      help: 'Go to the deliveries of the channel shown last',
      word: 'deliveries',
      access: webhook.deliveries.access,
    },
    goProfiles: { keys: ['P', 'g p'], help: 'Go to the profiles: other servers', word: 'profiles' },
    goSettings: { keys: ['f2', ',', 'g ,'], help: 'Go to the settings', word: 'settings' },
    goInfo: { ...inMenu('i', 'info', 'versions, paths and terminal features'), hint: 'versions and paths' },
    bookmarks: { keys: ["' b"], help: 'List the bookmarks of all screens', word: 'bookmarks' },
    palette: { keys: ['ctrl+p'], hint: 'find', help: 'Find a command or a screen', word: 'palette' },
    command: { keys: [':'], hint: 'command', help: 'Type a command', plain: true },
    help: SHARED_KEYS.help,
    filterHelp: { keys: [], help: 'Show the filter language (:help filter)', word: 'language' },
    back: { keys: ['escape', 'q'], hint: 'back', help: 'Go back', word: 'back', yields: true },
    quitHere: { keys: ['q'], hint: 'quit', help: 'Quit', plain: true, yields: true },
    undo: {
      keys: ['U'],
      help: 'Undo the last change',
      word: 'undo',
      changes: true,
    },
    ...RANGE_KEYS,
    signOut: { keys: [], help: 'Sign out', word: 'logout' },
    quit: { keys: ['Q'], help: 'Quit from any screen', word: 'quit' },
  },
  times: TIMES_KEYS,
  list: LIST_KEYS,
  ...SCREEN_KEYS,
  ...ACCOUNT_KEYS,
  ...FLEET_KEYS,
  ...ALERT_KEYS,
  signIn: {
    submit: { keys: ['enter'], hint: 'sign in', help: 'Sign in' },
    code: { keys: ['f6', 'ctrl+g'], hint: 'by code', help: 'Sign in with a code that you confirm in a browser' },
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
    ...ERASE_KEYS,
  },
  prompt: {
    submit: { keys: ['enter'], hint: 'submit', help: 'Submit the input' },
    cancel: { keys: ['escape'], hint: 'cancel', help: 'Cancel the input' },
    complete: { keys: ['tab'], hint: 'complete', help: 'Complete the word; repeat for the next completion' },
    completeBack: { keys: ['shift+tab'], help: 'Previous completion' },
    help: { keys: ['f1'], hint: 'language', help: 'Show the filter language' },
    older: { keys: ['up', 'ctrl+p'], hint: 'history', help: 'Previous input' },
    newer: { keys: ['down', 'ctrl+n'], help: 'Next input' },
  },
  edit: {
    left: { keys: ['left'], help: 'Previous character', repeats: true },
    right: { keys: ['right'], help: 'Next character', repeats: true },
    start: { keys: ['home', 'ctrl+a'], help: 'Start of the line' },
    end: { keys: ['end', 'ctrl+e'], help: 'End of the line' },
    ...ERASE_KEYS,
  },
  ...DIALOG_KEYS,
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
  errlog: { title: 'Error logs', rank: 'screen', scopes: ['list', 'times', 'errlog'] },
  agents: { title: 'Agents', rank: 'screen', scopes: ['list', 'agents'] },
  apiTokens: { title: 'API tokens', rank: 'screen', scopes: ['list', 'apiTokens'] },
  users: { title: 'Users', rank: 'screen', scopes: ['list', 'users'] },
  audit: { title: 'Audit log', rank: 'screen', scopes: ['list', 'audit'] },
  account: { title: 'Account', rank: 'screen', scopes: ['list', 'account'] },
  lines: { title: 'Lines', rank: 'screen', scopes: ['list', 'times', 'lines'] },
  messages: { title: 'Messages', rank: 'screen', scopes: ['list', 'messages'] },
  changes: { title: 'Changes', rank: 'screen', scopes: ['list', 'changes'] },
  requests: { title: 'Requests', rank: 'screen', scopes: ['list', 'requests'] },
  sources: { title: 'Sources', rank: 'screen', scopes: ['list', 'sources'] },
  enrollment: { title: 'Enrollment tokens', rank: 'screen', scopes: ['list', 'enrollment'] },
  operations: { title: 'Operations', rank: 'screen', scopes: ['list', 'operations'] },
  kernelRules: { title: 'Bad kernels', rank: 'screen', scopes: ['list', 'kernelRules'] },
  outages: { title: 'Outages', rank: 'screen', scopes: ['list', 'outages'] },
  alerts: { title: 'Alerts', rank: 'screen', scopes: ['list', 'alerts'] },
  alertRules: { title: 'Rules of alerts', rank: 'screen', scopes: ['list', 'alertRules'] },
  webhooks: { title: 'Channels', rank: 'screen', scopes: ['list', 'webhooks'] },
  deliveries: { title: 'Deliveries', rank: 'screen', scopes: ['list', 'deliveries'] },
  // Enter connects to the selected server, so its command comes before those of the list.
  profiles: { title: 'Profiles', rank: 'screen', scopes: ['profiles', 'list'] },
  settings: { title: 'Settings', rank: 'screen', scopes: ['list', 'settings'] },
  info: { title: 'Info', rank: 'screen', scopes: ['list'] },
  form: { title: 'Form', rank: 'overlay', scopes: ['form', 'fields'] },
  confirm: { title: 'Question', rank: 'overlay', scopes: ['confirm'] },
  typedConfirm: { title: 'Question', rank: 'overlay', scopes: ['form', 'edit', 'typedList'] },
  secret: { title: 'New secret', rank: 'overlay', scopes: ['secret'] },
  scan: { title: 'QR code', rank: 'overlay', scopes: ['scan'] },
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

export type CommandOf<P extends Place> = {
  [S in (typeof PLACES)[P]['scopes'][number]]: keyof (typeof KEYMAP)[S];
}[(typeof PLACES)[P]['scopes'][number]];

/** Replacement keys by `scope.command`. */
export type Rebound = Readonly<Record<string, readonly string[]>>;

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
