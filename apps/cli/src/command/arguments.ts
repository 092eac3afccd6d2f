// The form of a command line before commander reads it.

/** Options that may stand before a command, with a value. */
const WITH_VALUE = ['--profile', '--timeout', '-o', '--output'];

/** Returns the index of the first word that is no option. */
function commandAt(args: readonly string[]): number {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (!arg.startsWith('-')) return at;
    if (WITH_VALUE.includes(arg)) at += 1;
  }
  return args.length;
}

/** Reports whether there is no command: then the options are those of the dashboard. */
export const wantsDashboard = (args: readonly string[]): boolean =>
  commandAt(args) === args.length && !args.includes('--help') && !args.includes('-h');

/**
 * Brings options before the command behind it, and writes names of options with dashes: `--level_max` of the contract
 * is `--level-max`. Arguments behind `--` stay as they are. `help errors` is `errors --help`.
 */
export function orderArguments(args: readonly string[]): string[] {
  const at = commandAt(args);
  const rest = args.slice(at);
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
  if (rest[0] === 'help') return [...rest.slice(1), '--help'];
  return [...[...rest.slice(0, end), ...args.slice(0, at)].map(withDashes), ...rest.slice(end)];
}

const withDashes = (arg: string): string => arg.replace(/^--[a-z][\w-]*/, (name) => name.replaceAll('_', '-'));
