// The screens by name: what they are called, who may see them, and what they are.
import { type Access, contract } from '@quarterdeck/core';
import type { ReactElement } from 'react';
import type { Screen } from '../navigation.ts';
import { AccountScreen } from './account/account-screen.tsx';
import { AgentsScreen } from './agents/agents-screen.tsx';
import { ApiTokensScreen } from './api-tokens/api-tokens-screen.tsx';
import { AuditScreen } from './audit/audit-screen.tsx';
import { EnrollmentScreen } from './enrollment/enrollment-screen.tsx';
import { ErrlogScreen } from './errlog/errlog-screen.tsx';
import { InfoScreen } from './info/info-screen.tsx';
import { KernelRulesScreen } from './kernel-rules/kernel-rules-screen.tsx';
import { MessagesScreen } from './messages/messages-screen.tsx';
import { OperationsScreen } from './operations/operations-screen.tsx';
import { OutagesScreen } from './outages/outages-screen.tsx';
import { OverviewScreen } from './overview/overview-screen.tsx';
import { ProfilesScreen } from './profiles/profiles-screen.tsx';
import { RequestsScreen } from './requests/requests-screen.tsx';
import { SettingsScreen } from './settings/settings-screen.tsx';
import { UsersScreen } from './users/users-screen.tsx';

interface ScreenEntry {
  readonly title: string;
  /** Absent: for everybody. */
  readonly access?: Access;
  /** While it is not visible it renders nothing; what it knows is kept. */
  readonly View: (props: { readonly visible: boolean }) => ReactElement | null;
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
  messages: { title: 'Messages', View: MessagesScreen },
  requests: { title: 'Requests', View: RequestsScreen },
  enrollment: { title: 'Enrolment', access: contract.enrollment.list.access, View: EnrollmentScreen },
  operations: { title: 'Operations', access: contract.agentOperation.list.access, View: OperationsScreen },
  kernelRules: { title: 'Kernels', access: contract.kernelRule.list.access, View: KernelRulesScreen },
  outages: { title: 'Outages', access: contract.outage.list.access, View: OutagesScreen },
  profiles: { title: 'Profiles', View: ProfilesScreen },
  settings: { title: 'Settings', View: SettingsScreen },
  info: { title: 'Info', View: InfoScreen },
};
