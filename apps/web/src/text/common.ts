// Words of the frame, and those that several pages share. Each page has a file of its name beside this one, which is
// loaded with it.

export const text = {
  product: 'Quarterdeck',
  starting: 'Loading Quarterdeck…',
  nav: {
    label: 'Pages',
    overview: 'Overview',
    errors: 'Errors',
    lines: 'Lines',
    hosts: 'Hosts',
    changes: 'Changes',
    tokens: 'Tokens',
    account: 'Account',
    more: 'More',
    skip: 'Skip to content',
    signOut: 'Sign out',
  },
  failure: {
    retry: 'Retry now',
    retrying: 'Retrying automatically.',
    title: 'This cannot be shown',
    crash: 'The page has an internal error.',
    reload: 'Reload',
    newVersion: 'A part of the page could not be loaded. The server may have a new version.',
  },
  fresh: {
    loading: (noun: string) => `Loading ${noun}…`,
    live: 'Live',
    connecting: 'Connecting…',
    lost: 'Connection lost. Reconnecting…',
    off: 'No live updates',
    at: (time: string) => `as of ${time}`,
    stale: (time: string) => `As of ${time}, not newer:`,
  },
  actions: {
    undo: 'Undo',
    undone: 'Undone.',
    dismiss: 'Dismiss',
    cancel: 'Cancel',
    close: 'Close',
    busy: 'Working…',
  },
  link: {
    share: 'Share',
    banner: 'You see this through a read-only link.',
    signIn: 'Sign in',
    ended: 'This link has ended or was revoked. Ask for a new one, or sign in.',
    elsewhere: 'A read-only link shows one alert or one error only.',
  },
} as const;
