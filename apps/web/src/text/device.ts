// Words of the page on which the code of a terminal is confirmed.

export const deviceText = {
  title: 'Sign in a terminal',
  intro: 'Type the code that the terminal shows.',
  code: 'Code',
  next: 'Next',
  asks: 'This terminal wants to sign in as you',
  name: 'Name',
  address: 'Address',
  program: 'Program',
  since: 'Asks since',
  warning: 'Go on only if you have started this sign-in yourself, a moment ago, at this terminal.',
  approve: 'Let it sign in',
  deny: 'Refuse',
  approved: 'The terminal is signed in. You can close this page.',
  denied: 'The terminal was refused.',
  unnamed: 'not given',
} as const;
