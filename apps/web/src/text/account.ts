// Words of the page of the own account.

/** The words. */
export const accountText = {
  role: (role: string) => `Role: ${role}`,
  signedOut: 'Signed out.',
  password: {
    note: 'A change ends all your other sessions.',
    change: 'Change password',
    current: 'Current password',
    next: 'New password',
    changed: 'Changed your password. All other sessions have ended.',
  },
  factor: {
    title: 'Second factor',
    on: 'On. A sign-in takes a code from your authenticator app.',
    off: 'Off. Your password alone is enough to sign in.',
    setUp: 'Set up a second factor',
    turnOff: 'Turn off the second factor',
    next: 'Next',
    needsApp: 'You need an authenticator app on your phone.',
    scan: 'Scan this with your authenticator app',
    qr: 'QR code for an authenticator app',
    orType: 'Or type the key:',
    first: 'Confirm with the first code',
    firstHint: 'Six digits, from the app',
    turnOn: 'Turn it on',
    codes: 'Your recovery codes',
    codesNote: 'The second factor is on. Each code signs you in once, without your phone. They are shown only once.',
    stored: 'I have stored them',
    offNote: 'Your password alone is then enough to sign in.',
    isOff: 'The second factor is off.',
  },
  confirmation: {
    title: 'Confirm that it is you',
    note: 'Changes to how people sign in need a confirmation of the last ten minutes. Your provider asks you to sign in again.',
    with: (provider: string) => `Confirm with ${provider}`,
  },
  sessions: {
    title: 'Sessions',
    noun: 'your sessions',
    unknown: 'unknown program',
    current: 'this one',
    used: 'used',
    ends: 'ends',
    end: 'End',
    ended: 'Ended the session.',
    endOthers: 'End all other sessions',
    othersEnded: 'Ended all other sessions.',
  },

  demanded: 'Your role requires a second factor. Set one up to continue.',
} as const;
