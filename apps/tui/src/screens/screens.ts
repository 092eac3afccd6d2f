// The screens by name, with title and access.
import { type Access, contract } from '@quarterdeck/core';
import type { Screen } from '../navigation.ts';
import { AccountScreen } from './account/account-screen.ts';
import { AgentsScreen } from './agents/agents-screen.tsx';
import { AlertRulesScreen } from './alert-rules/alert-rules-screen.ts';
import { AlertsScreen } from './alerts/alerts-screen.ts';
import { ApiTokensScreen } from './api-tokens/api-tokens-screen.ts';
import { AuditScreen } from './audit/audit-screen.ts';
import { ChangesScreen } from './changes/changes-screen.ts';
import { EnrollmentScreen } from './enrollment/enrollment-screen.ts';
import { ErrlogScreen } from './errlog/errlog-screen.tsx';
import { InfoScreen } from './info/info-screen.ts';
import { KernelRulesScreen } from './kernel-rules/kernel-rules-screen.ts';
import { LinesScreen } from './lines/lines-screen.tsx';
import type { ScreenView } from './list/list-screen.tsx';
import { MessagesScreen } from './messages/messages-screen.ts';
import { OperationsScreen } from './operations/operations-screen.ts';
import { OutagesScreen } from './outages/outages-screen.ts';
import { OverviewScreen } from './overview/overview-screen.tsx';
import { ProfilesScreen } from './profiles/profiles-screen.ts';
import { RequestsScreen } from './requests/requests-screen.ts';
import { SettingsScreen } from './settings/settings-screen.ts';
import { SourcesScreen } from './sources/sources-screen.ts';
import { UsersScreen } from './users/users-screen.ts';
import { DeliveriesScreen } from './webhooks/deliveries-screen.ts';
import { WebhooksScreen } from './webhooks/webhooks-screen.ts';

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
