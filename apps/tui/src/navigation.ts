// Where the user is, and was. Pure.

/** The screens; the first nine have the keys 1 to 9. */
export const SCREENS = [
  'overview',
  'errlog',
  'agents',
  'apiTokens',
  'users',
  'audit',
  'account',
  'messages',
  'requests',
  'enrollment',
  'operations',
  'kernelRules',
  'outages',
  'profiles',
  'settings',
  'info',
] as const;

/** Name of a screen. */
export type Screen = (typeof SCREENS)[number];

/** The command of the keymap that opens a screen: `goErrlog`. */
export const goCommand = <S extends Screen>(screen: S): `go${Capitalize<S>}` =>
  `go${screen.charAt(0).toUpperCase()}${screen.slice(1)}` as `go${Capitalize<S>}`;

/** A screen, and what is wanted there: `:logs level=4 /timeout` is `{ args: { level: '4' }, text: 'timeout' }`. */
export interface Target {
  readonly screen: Screen;
  readonly args?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** Where the user is. `turn` tells one visit from the next. */
export interface Navigation {
  readonly target: Target;
  readonly turn: number;
  readonly before: readonly Screen[];
}

/** A step. */
export type NavigationAction = { readonly type: 'go'; readonly target: Target } | { readonly type: 'back' };

/** Further back than this nobody remembers having been. */
const HISTORY_MAX = 20;

/** Where a dashboard begins. */
export const startAt = (screen: Screen): Navigation => ({ target: { screen }, turn: 0, before: [] });

/** Takes a step. Going where one is changes nothing, unless something is wanted there. */
export function navigate(state: Navigation, action: NavigationAction): Navigation {
  if (action.type === 'back') {
    const screen = state.before.at(-1);
    if (screen === undefined) return state;
    return { target: { screen }, turn: state.turn + 1, before: state.before.slice(0, -1) };
  }
  const { target } = action;
  const here = state.target.screen;
  const wants = target.args !== undefined || target.text !== undefined;
  if (target.screen === here && !wants) return state;
  const before = target.screen === here ? state.before : [...state.before, here].slice(-HISTORY_MAX);
  return { target, turn: state.turn + 1, before };
}
