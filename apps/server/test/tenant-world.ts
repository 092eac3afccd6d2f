// Two tenants on one server, each with objects of every noun and a text that stands nowhere else (decision 088).
import { signIn } from '@quarterdeck/sdk';
import type { Headers } from './callers.ts';
import { PASSWORD, type TestApi } from './start-api.ts';
import { word } from './word.ts';

/** A caller who sees the sources of one tenant. */
export interface TenantCaller {
  readonly name: string;
  readonly headers: Headers;
}

/** Objects of a tenant, by noun. */
export interface Tenant {
  /** Text that all of its objects have, and nothing else. */
  readonly mark: string;
  readonly filter: string;
  /** Value of its label `tenant`. */
  readonly tenant: string;
  readonly ids: Readonly<Record<string, number>>;
  readonly host: string;
  readonly callers: readonly TenantCaller[];
}

/** An error that both tenants have. */
export const SHARED = 'the shared disk is full';

/** Stores a tenant, and lets the rules of alerts find its errors. */
export async function plantTenant(api: TestApi, name: string): Promise<Tenant> {
  const { admin, server } = api;
  const salt = word()
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
  const mark = `zz${name}${salt}zz`;
  const label = `${name}${salt}`;
  const filter = `label:tenant=${label} OR host:gw-${mark}`;

  const sender = await api.agent(`node-${mark}`);
  const params = { id: sender.id };
  await admin.agent.update({ params, body: { labels: { tenant: label, mark }, note: mark } });
  const kernel = (text: string) => ({
    system_version: { kernel: text, kernel_package: '', kernel_bid: '', kernel_distro: '', libc: '' },
  });
  for (const text of ['before', mark]) await sender.client.agent.heartbeat({ params, body: kernel(text) });

  const user = async (role: 'operator' | 'master') => {
    const username = `${role}-${mark}`;
    const { id } = await admin.user.create({ body: { username, password: PASSWORD, role, errlog_filter: filter } });
    const { client, login } = await signIn({ url: api.url, username, password: PASSWORD });
    return { id, client, token: login.token };
  };
  const operator = await user('operator');
  const master = await user('master');
  const channels: number[] = [];
  const ownRule = await operator.client.alert.create({
    body: { name: mark, when: { kind: 'errlog.new' }, filter: `service:${mark}`, channels },
  });
  await admin.alert.create({ body: { name: 'new', when: { kind: 'errlog.new' }, channels } });
  await admin.alert.create({
    body: { name: 'often', when: { kind: 'errlog.count', count: 1, per: 'source' }, channels },
  });
  await server.jobs.runAlerts();

  const line = { level: 'error', log: `${mark} failed`, service: mark, req_id: mark, fields: { text: mark } } as const;
  await sender.client.errlog.append({ body: [line, line, { ...line, log: SHARED, service: 'shared' }] });
  await admin.errlog.append({
    body: [
      { ...line, host: `gw-${mark}` },
      { ...line, log: SHARED, service: 'shared', host: `gw-${mark}` },
    ],
  });
  await server.jobs.runAlerts();
  const host = `host-node-${mark}`;
  const change = await admin.change.create({ body: { kind: 'deploy', name: mark, hosts: [host], author: mark } });
  const operation = await admin.agentOperation.create({ body: { agent_id: sender.id, kind: 'collect_facts' } });
  const ofOwner = await operator.client.apiToken.create({ body: { name: mark } });
  const ofAdmin = await admin.apiToken.create({ body: { name: mark, errlog_filter: filter } });

  const [group] = (await operator.client.errlog.list({ query: { q: mark } })).data;
  const [stored] = (await operator.client.line.list({ query: { q: mark } })).data;
  const instances = (await operator.client.alert.instances({ query: { page_size: 100 } })).data;
  const { id: session } = await server.deps.db.read.prisma.session.findFirstOrThrow({ where: { userId: master.id } });
  const ids = {
    ...{ errlog: group?.id ?? 0, line: Number(stored?.id ?? 0), agent: sender.id, change: change.id },
    ...{ alert: ownRule.id, instance: instances[0]?.id ?? 0, apiToken: ofOwner.id, user: operator.id },
    ...{ agentOperation: operation.id, session, source: group?.src ?? 0 },
  };
  const callers = [
    { name: 'a session of an operator', headers: { 'edge-token': operator.token } },
    { name: 'a session of a master', headers: { 'edge-token': master.token } },
    { name: 'an API token of an operator', headers: { 'API-Token': ofOwner.token } },
    { name: 'an API token with a filter, of a user without one', headers: { 'API-Token': ofAdmin.token } },
  ];
  return { mark, filter, tenant: label, ids, host, callers };
}
