// docs/reference/outbound.md: what the server connects to, starts and sends.
import { OUTBOUND, PROGRAMS } from '../../apps/server/src/net/outbound.ts';
import { page, table } from './markdown.ts';

export const outboundPage = (): string =>
  page(
    '# Outbound connections, programs and recipients of data',
    'The server opens no connection, starts no program and sends nothing that is not in these tables. Without the ' +
      'setting or action it does none of it: a new server connects to nothing.',
    '## Connections',
    table(
      ['to', 'when', 'data', 'protection'],
      OUTBOUND.map(({ to, when, data, protection }) => [to, when, data, protection]),
    ),
    '## Programs',
    table(
      ['program', 'when'],
      PROGRAMS.map(({ program, when }) => [program, when]),
    ),
    'The agent is described in [agent.md](agent.md): it connects to its server, and to the addresses of releases that its ' +
      'settings name.',
  );
