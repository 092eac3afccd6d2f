// The screens by name, with title and access.
import { type Access, contract } from '@quarterdeck/core';
import type { Screen } from '../commands/navigation.ts';
import { AccountScreen } from '../screens/account/account-screen.ts';
import { AgentsScreen } from '../screens/agents/agents-screen.tsx';
import { AlertRulesScreen } from '../screens/alert-rules/alert-rules-screen.ts';
import { AlertsScreen } from '../screens/alerts/alerts-screen.ts';
import { ApiTokensScreen } from '../screens/api-tokens/api-tokens-screen.ts';
import { AuditScreen } from '../screens/audit/audit-screen.ts';
import { ChangesScreen } from '../screens/changes/changes-screen.ts';
import { EnrollmentScreen } from '../screens/enrollment/enrollment-screen.ts';
import { ErrlogScreen } from '../screens/errlog/errlog-screen.tsx';
import { InfoScreen } from '../screens/info/info-screen.ts';
import { KernelRulesScreen } from '../screens/kernel-rules/kernel-rules-screen.ts';
import { LinesScreen } from '../screens/lines/lines-screen.tsx';
import type { ScreenView } from '../screens/list/list-screen.tsx';
import { MessagesScreen } from '../screens/messages/messages-screen.ts';
import { OperationsScreen } from '../screens/operations/operations-screen.ts';
import { OutagesScreen } from '../screens/outages/outages-screen.ts';
import { OverviewScreen } from '../screens/overview/overview-screen.tsx';
import { ProfilesScreen } from '../screens/profiles/profiles-screen.ts';
import { RequestsScreen } from '../screens/requests/requests-screen.ts';
import { SettingsScreen } from '../screens/settings/settings-screen.ts';
import { SourcesScreen } from '../screens/sources/sources-screen.ts';
import { UsersScreen } from '../screens/users/users-screen.ts';
import { DeliveriesScreen } from '../screens/webhooks/deliveries-screen.ts';
import { WebhooksScreen } from '../screens/webhooks/webhooks-screen.ts';

interface ScreenEntry {
  readonly title: string;
  /** Absent for screens that everybody may open. */
  readonly access?: Access;
  readonly View: ScreenView;
}

/** Every screen. */
export const VIEWS: Readonly<Record<Screen, ScreenEntry>> = {
  overview: { title: 'Overview', View: OverviewScreen },
  errlog: { title: 'Errors', access: contract.errlog.list.access, View: ErrlogScreen },
  agents: { title: 'Agents', access: contract.agent.list.access, View: AgentsScreen },
  apiTokens: { title: 'Tokens', access: contract.apiToken.list.access, View: ApiTokensScreen },
  users: { title: 'Users', access: contract.user.list.access, View: UsersScreen },
  audit: { title: 'Audit', access: contract.audit.list.access, View: AuditScreen },
  account: { title: 'Account', View: AccountScreen },
  lines: { title: 'Lines', access: contract.line.list.access, View: LinesScreen },
  messages: { title: 'Messages', View: MessagesScreen },
  changes: { title: 'Changes', access: contract.change.list.access, View: ChangesScreen },
  requests: { title: 'Requests', View: RequestsScreen },
  sources: { title: 'Sources', access: contract.errlog.sources.access, View: SourcesScreen },
  enrollment: { title: 'Enrollment', access: contract.enrollment.list.access, View: EnrollmentScreen },
  operations: { title: 'Operations', access: contract.agentOperation.list.access, View: OperationsScreen },
  kernelRules: { title: 'Kernels', access: contract.kernelRule.list.access, View: KernelRulesScreen },
  outages: { title: 'Outages', access: contract.outage.list.access, View: OutagesScreen },
  alerts: { title: 'Alerts', access: contract.alert.instances.access, View: AlertsScreen },
  alertRules: { title: 'Rules', access: contract.alert.list.access, View: AlertRulesScreen },
  webhooks: { title: 'Channels', access: contract.webhook.list.access, View: WebhooksScreen },
  deliveries: { title: 'Deliveries', access: contract.webhook.deliveries.access, View: DeliveriesScreen },
  profiles: { title: 'Profiles', View: ProfilesScreen },
  settings: { title: 'Settings', View: SettingsScreen },
  info: { title: 'Info', View: InfoScreen },
};
