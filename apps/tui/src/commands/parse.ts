// Parses the command line: `logs level=4 /timeout` is a word, arguments and a search text. Pure.
import { KEYMAP } from '../keys/keymap.ts';
import { goCommand, SCREENS, type Screen } from './navigation.ts';

export interface Typed {
  readonly word: string;
  readonly args: Readonly<Record<string, string>>;
  /** The search text after a slash. */
  readonly text: string | undefined;
  /** The other words. */
  readonly rest: readonly string[];
}

export const ALIASES: Readonly<Record<string, string>> = {
  ov: 'overview',
  pulse: 'overview',
  l: 'logs',
  log: 'logs',
  errlog: 'logs',
  errors: 'logs',
  ag: 'agents',
  hosts: 'agents',
  line: 'lines',
  tail: 'lines',
  tok: 'tokens',
  token: 'tokens',
  enroll: 'enrollment',
  enrollment: 'enrollment',
  op: 'operations',
  ops: 'operations',
  kernel: 'kernels',
  outage: 'outages',
  alert: 'alerts',
  rule: 'rules',
  channel: 'channels',
  webhook: 'channels',
  webhooks: 'channels',
  delivery: 'deliveries',
  u: 'users',
  who: 'account',
  me: 'account',
  ctx: 'profiles',
  profile: 'profiles',
  req: 'requests',
  msg: 'messages',
  set: 'settings',
  config: 'settings',
  h: 'help',
  q: 'quit',
  'q!': 'quit',
  exit: 'quit',
};

/** Screens by the word that opens them. */
export const SCREEN_OF = new Map<string, Screen>(SCREENS.map((screen) => [KEYMAP.app[goCommand(screen)].word, screen]));

/** Parses a line; null for an empty one. */
export function parseCommand(line: string): Typed | null {
  const slash = / \/|^\//.exec(line);
  const head = slash === null ? line : line.slice(0, slash.index);
  const text = slash === null ? undefined : line.slice(slash.index).trimStart().slice(1);
  const [first, ...others] = head.trim().split(/\s+/);
  if (first === undefined || (first === '' && text === undefined)) return null;
  const args: Record<string, string> = {};
  const rest: string[] = [];
  for (const part of others) {
    const at = part.indexOf('=');
    if (at > 0) args[part.slice(0, at)] = part.slice(at + 1);
    else rest.push(part);
  }
  return { word: ALIASES[first] ?? first, args, text, rest };
}

/** The words with this prefix, and their longest common prefix. */
export function complete(
  text: string,
  words: readonly string[],
): { readonly text: string; readonly words: readonly string[] } {
  const fitting = words.filter((word) => word.startsWith(text));
  const [first = text] = fitting;
  let shared = first;
  for (const word of fitting) while (!word.startsWith(shared)) shared = shared.slice(0, -1);
  return { text: fitting.length === 0 ? text : shared, words: fitting };
}
