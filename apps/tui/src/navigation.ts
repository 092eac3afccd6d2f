// Where the user is: one screen, and at most one overlay over it. Pure.

/** The screens, in the order of their numbers. */
export const SCREENS = ['errlog', 'agents', 'apiTokens'] as const;

/** Name of a screen. */
export type Screen = (typeof SCREENS)[number];

/**
 * What can be open over a screen. Only what identifies it: a secret is never kept here, since this state is what a
 * later version may write to disk.
 */
export type Overlay =
  | { readonly kind: 'help' }
  | { readonly kind: 'detail' }
  | { readonly kind: 'apiTokenCreate' }
  | { readonly kind: 'apiTokenEdit'; readonly id: number }
  | { readonly kind: 'apiTokenRemove'; readonly id: number }
  | { readonly kind: 'apiTokenSecret' };

/** Where the user is. */
export interface Navigation {
  readonly screen: Screen;
  readonly overlay: Overlay | null;
}

/** A step. */
export type NavigationAction =
  | { readonly type: 'go'; readonly screen: Screen }
  | { readonly type: 'open'; readonly overlay: Overlay }
  | { readonly type: 'close' };

/** Where a dashboard begins: on the first screen the user may see. */
export const startAt = (screen: Screen): Navigation => ({ screen, overlay: null });

/** Takes a step. Going to a screen closes what was open over the one before. */
export function navigate(state: Navigation, action: NavigationAction): Navigation {
  switch (action.type) {
    case 'go':
      return action.screen === state.screen && state.overlay === null ? state : startAt(action.screen);
    case 'open':
      return { ...state, overlay: action.overlay };
    case 'close':
      return state.overlay === null ? state : { ...state, overlay: null };
  }
}
