// Meanings of the keys on lists. A test compares the keymap and docs/reference/dashboard.md with this table.

export interface Letter {
  /** The meaning in a few words. */
  readonly text: string;
  /** The names of the commands that the key may run on a list, or that may follow it. */
  readonly commands: RegExp;
  /** A word for the hints, for a prefix. */
  readonly hint?: string;
  /** Words that begin the helps of the commands and repeat the meaning; the menu of the prefix omits them. */
  readonly repeated?: RegExp;
}

/** The meanings, by key. A command of a list with any other single key fails the test. */
export const LETTERS = {
  a: { text: 'add; acknowledge an alert', commands: /^(create|acknowledge)$/ },
  A: {
    text: 'make active again: reopen, restore, unlock, send again, asks first; assign an alert',
    commands: /^(reopen|restore|unlock|redeliver|assign)$/,
  },
  b: {
    text: 'filter by a value of the selected row',
    commands: /^(by[A-Z]\w*|notValue|withDeleted|rollup|chartRange|clearFilter)$/,
    hint: 'narrow',
    repeated: /^Show only (this |the )?/,
  },
  B: { text: 'change all that match; asks first', commands: /^bulk$/ },
  c: { text: 'what changed', commands: /^(changes|diffs)$/ },
  C: { text: 'compare two', commands: /^compare/ },
  d: { text: 'details', commands: /^detail$/ },
  D: { text: 'delete, end, cancel, revoke; asks first', commands: /^(remove|end|cancel)$/ },
  e: { text: 'edit', commands: /^(edit|change)$/ },
  E: { text: 'extend', commands: /^extend$/ },
  f: { text: 'follow', commands: /^follow$/ },
  F: { text: 'values of the selected column, with counts', commands: /^frequency$/ },
  g: {
    text: 'go to',
    commands: /^(go[A-Z]\w*|top|agents?|away|logs|lines|errors|operations|rule|alerts|deliveries)$/,
    hint: 'go to',
    repeated: /^Go to (the )?/,
  },
  G: { text: 'last row', commands: /^bottom$/ },
  h: { text: 'previous column', commands: /^columnLeft$/ },
  H: { text: 'scroll left', commands: /^panLeft$/ },
  i: { text: 'size of the chart', commands: /^chart$/ },
  J: { text: 'correct a group: merge errors, split lines off; asks first', commands: /^(merge|split)$/ },
  j: { text: 'next row', commands: /^down$/ },
  k: { text: 'previous row', commands: /^up$/ },
  K: { text: 'end sessions; asks first', commands: /^end(Sessions|Others)$/ },
  l: { text: 'next column', commands: /^columnRight$/ },
  L: { text: 'scroll right', commands: /^panRight$/ },
  m: { text: 'bookmark', commands: /^bookmark/ },
  M: { text: 'silence: mute an error or an alert, maintenance of an agent', commands: /^(mute|maintenance)$/ },
  n: { text: 'next match', commands: /^nextHit$/ },
  N: { text: 'previous match', commands: /^previousHit$/ },
  o: { text: 'open', commands: /^(open|enlarge|choose|lines|errors|subject|deliveries)$/ },
  O: { text: 'operation on agents', commands: /^operate$/ },
  p: { text: 'password', commands: /^password$/ },
  P: { text: 'profiles', commands: /^goProfiles$/ },
  q: { text: 'close, go back', commands: /^(close|back|quitHere)$/ },
  Q: { text: 'quit', commands: /^quit$/ },
  r: { text: 'reload', commands: /^refresh$/ },
  R: { text: 'resolve', commands: /^resolve$/ },
  s: { text: 'sort', commands: /^sort$/ },
  S: { text: 'reverse the order', commands: /^reverse$/ },
  t: { text: 'write a note', commands: /^note$/ },
  T: { text: 'disable or enable; asks first', commands: /^toggle$/ },
  u: { text: 'only what needs attention', commands: /^(openOnly|away)$/ },
  U: { text: 'undo', commands: /^undo$/ },
  v: { text: 'range of rows', commands: /^range$/ },
  V: { text: 'verify, send a test message', commands: /^(verify|test)$/ },
  w: { text: 'what happened around it, why a rule fires', commands: /^(around|explain)$/ },
  W: { text: 'limit to what is used; asks first', commands: /^narrow$/ },
  x: { text: 'facets', commands: /^facets$/ },
  X: { text: 'remove for good, clear', commands: /^(purge|clear)$/ },
  y: { text: 'copy', commands: /^copy/, hint: 'copy', repeated: /^Copy (the )?/ },
  Y: { text: 'second factor', commands: /^(secondFactor|resetSecondFactor)$/ },
  z: { text: 'zoom in', commands: /^zoomIn$/ },
  Z: { text: 'zoom out', commands: /^zoomOut$/ },
  '0': { text: 'scroll to the left edge', commands: /^panHome$/ },
  $: { text: 'scroll to the right edge', commands: /^panEnd$/ },
  ']': { text: 'next', commands: /^next/, hint: 'next', repeated: /^Next / },
  '[': { text: 'previous', commands: /^previous/, repeated: /^Previous / },
  '}': { text: 'chart: later', commands: /^later$/ },
  '{': { text: 'chart: earlier', commands: /^earlier$/ },
  ')': { text: 'include milder levels', commands: /^levelMore$/ },
  '(': { text: 'only more severe levels', commands: /^levelLess$/ },
  '-': { text: 'hide the selected column', commands: /^hideColumn$/ },
  _: { text: 'choose or reset the columns', commands: /^(show|choose)Columns$/ },
  '<': { text: 'move the column left', commands: /^columnBack$/ },
  '>': { text: 'move the column right', commands: /^columnForth$/ },
  '+': { text: 'full screen', commands: /^full$/ },
  '@': {
    text: 'time: range, zone, go to a time',
    hint: 'time',
    commands: /^(at|timeRange|typeRange|last(Hour|Day|Week)|allTimes|zone|goToTime|chartRange)$/,
  },
  "'": { text: 'saved views and bookmarks', hint: 'views', commands: /^(views|bookmarks|saveView|view\d)$/ },
  '=': { text: 'pause', commands: /^pause$/ },
  '!': { text: 'invert the marks', commands: /^invert$/ },
  '/': { text: 'filter', commands: /^filter$/ },
  '|': { text: 'pager', commands: /^pager$/ },
  ',': { text: 'settings', commands: /^goSettings$/ },
  ':': { text: 'command line', commands: /^command$/ },
  '?': { text: 'help', commands: /^help$/ },
} as const satisfies Readonly<Record<string, Letter>>;

/** Returns the meaning of a key on lists. */
export const letterOf = (key: string): Letter | undefined =>
  (LETTERS as Readonly<Record<string, Letter | undefined>>)[key];
