// Words of the page for an unknown address.

export const notFoundText = {
  title: 'There is no such page',
  body: 'The address may be incomplete. It may also be of a newer version of Quarterdeck.',
  home: 'Go to the overview',
} as const;
