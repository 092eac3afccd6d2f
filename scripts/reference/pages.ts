// Generated documents below docs/reference.
import { apiPage, errorsPage, eventsPage, permissionsPage } from './api.ts';
import { commandLinePage } from './command-line.ts';
import { metricsPage } from './metrics.ts';
import { outboundPage } from './outbound.ts';
import { quarterdeckdPage } from './quarterdeckd.ts';
import { settingsPage } from './settings.ts';
import { settingsSchema } from './settings-schema.ts';

/** Returns the texts of the pages by file name. */
export const referencePages = (): Readonly<Record<string, string>> => ({
  'api.md': apiPage(),
  'command-line.md': commandLinePage(),
  'errors.md': errorsPage(),
  'events.md': eventsPage(),
  'metrics.md': metricsPage(),
  'outbound.md': outboundPage(),
  'permissions.md': permissionsPage(),
  'quarterdeckd.md': quarterdeckdPage(),
  'settings.md': settingsPage(),
  'settings.schema.json': settingsSchema(),
});
