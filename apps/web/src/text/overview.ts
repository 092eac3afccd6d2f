// Words of the overview.

export const overviewText = {
  alerts: 'Open alerts',
  alertsNoun: 'the alerts',
  noAlerts: 'No alert is open.',
  more: (alerts: string) => `and ${alerts} more`,
  since: 'since',
  under: (alerts: string) => `${alerts} under it`,
  errors: 'New errors of the last day',
  noErrors: 'No new errors in the last day.',
  allErrors: 'All new errors',
  hosts: 'Hosts',
  hostsNoun: 'the hosts',
  online: (online: string, hosts: string) => `${online} of ${hosts} online`,
  badKernel: (count: string) => `${count} with a bad kernel`,
  cloned: (count: string) => `${count} cloned`,
  allHosts: (hosts: string) => `All ${hosts} that are away`,
} as const;
