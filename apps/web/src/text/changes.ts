// Words of the page of changes.

export const changesText = {
  noun: 'the changes',
  change: 'change',
  one: 'the change',
  none: 'No changes were reported.',
  noneHint: 'Programs report deployments and the like; see "Report deployments" in the documentation.',
  search: 'Search',
  of: (hosts: string) => `on ${hosts}`,
  everywhere: 'on all hosts',
  by: (author: string) => `by ${author}`,
  page: 'Page of the change',
  all: 'All changes',
  hosts: 'Hosts',
  unknownHosts: 'Unknown hosts',
  service: 'Service',
  happened: 'Happened',
  effects: 'Effects on errors',
  effectsNoun: 'the effects',
  verdicts: {
    worse: 'Worse: errors are new or more frequent on the hosts that made this change.',
    no_difference: 'No difference to the hosts that did not make it.',
    too_early: 'Not certain yet.',
  },
  noErrors: 'No error differs.',
  rates: (before: string, after: string) => `${before} before, ${after} after`,
} as const;
