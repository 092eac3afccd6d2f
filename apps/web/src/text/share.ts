// Words of the dialog of read-only links.

export const shareText = {
  title: 'Read-only links',
  note: 'Whoever has a link sees this page and nothing else, for 7 days. Send it like a password.',
  make: 'Make a link',
  made: 'The address is shown only once:',
  copy: 'Copy the address',
  none: 'No link is in use.',
  noun: 'the links',
  by: (name: string) => `by ${name}`,
  used: 'used',
  never: 'never used',
  ends: 'ends',
  revoke: 'Revoke',
  revoked: 'Revoked the link.',
} as const;
