// Navigation: the present screen and the ones before it. Pure.

/** The screens, those with a number key first. */
export const SCREENS = [
  'overview',
  'errlog',
  'agents',
  'apiTokens',
  'users',
  'audit',
  'account',
  'lines',
  'changes',
  'messages',
  'requests',
  'sources',
  'enrollment',
  'operations',
  'kernelRules',
  'outages',
  'alerts',
  'alertRules',
  'webhooks',
  'deliveries',
  'profiles',
  'settings',
  'info',
] as const;

/** Screens that show only what is in the time range. */
export const RANGE_SCREENS: ReadonlySet<string> = new Set(['overview', 'errlog', 'lines', 'sources']);

export type Screen = (typeof SCREENS)[number];

/** The command of the keymap that opens a screen: `goErrlog`. */
export const goCommand = <S extends Screen>(screen: S): `go${Capitalize<S>}` =>
  `go${screen.charAt(0).toUpperCase()}${screen.slice(1)}` as `go${Capitalize<S>}`;

/** A screen with arguments: `:logs level=4 /timeout` is `{ args: { level: '4' }, text: 'timeout' }`. */
export interface Target {
  readonly screen: Screen;
  readonly args?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** The present screen and the history. `visits` numbers the visits. */
export interface Navigation {
  readonly target: Target;
  /** The user went back to the screen. */
  readonly isReturn: boolean;
  readonly visits: number;
  readonly before: readonly Screen[];
}

export type NavigationAction = { readonly type: 'go'; readonly target: Target } | { readonly type: 'back' };

/** Screens in the history. */
const HISTORY_MAX = 20;

/** The navigation on the first screen. */
export const startAt = (screen: Screen): Navigation => ({
  target: { screen },
  isReturn: false,
  visits: 0,
  before: [],
});

/** Takes a step. Going to the present screen changes nothing, unless it has arguments. */
export function navigate(state: Navigation, action: NavigationAction): Navigation {
  if (action.type === 'back') {
    const screen = state.before.at(-1);
    if (screen === undefined) return state;
    return { target: { screen }, isReturn: true, visits: state.visits + 1, before: state.before.slice(0, -1) };
  }
  const { target } = action;
  const here = state.target.screen;
  const wants = target.args !== undefined || target.text !== undefined;
  if (target.screen === here && !wants) return state;
  const before = target.screen === here ? state.before : [...state.before, here].slice(-HISTORY_MAX);
  return { target, isReturn: false, visits: state.visits + 1, before };
}
