// Words of the page that signs in.

export const signInText = {
  title: 'Sign in',
  username: 'User name',
  password: 'Password',
  code: 'Code',
  codeHint: 'From your authenticator app, or a recovery code',
  remember: 'Stay signed in for 31 days',
  submit: 'Sign in',
  busy: 'Signing in…',
  ended: 'Your session has ended. Sign in again.',
  wrong: 'Incorrect user name or password. Try again.',
  wrongCode: 'Incorrect code. Try again.',
  with: (provider: string) => `Sign in with ${provider}`,
  mastersOnly: 'A password is for masters alone.',
  back: (place: string) => `You return to ${place}.`,
} as const;
