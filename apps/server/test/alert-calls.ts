// Rules, channels and messages of alerts for tests.
import type { TestApi } from './start-api.ts';
import { word } from './word.ts';

type RuleBody = Parameters<TestApi['admin']['alert']['create']>[0]['body'];

/** A stored message: its type and data. */
export interface StoredMessage {
  readonly type: string;
  readonly data: { readonly key: string; readonly title: string; readonly detail: Record<string, unknown> } & Record<
    string,
    unknown
  >;
}

/** Stores a channel; returns its id. */
export async function createChannel(api: TestApi, enabled = true): Promise<number> {
  const times = { createdMs: BigInt(api.now()), modifiedMs: BigInt(api.now()) };
  const data = { name: word(), kind: 'standard', enabled, createdBy: 'admin', ...times };
  return (await api.server.deps.db.write(({ prisma }) => prisma.webhook.create({ data }))).id;
}

/** Creates a rule with a channel of its own, and lets it begin. */
export async function watch(api: TestApi, when: RuleBody['when'], body: Partial<RuleBody> = {}) {
  const channel = await createChannel(api);
  const rule = await api.admin.alert.create({ body: { name: word(), when, channels: [channel], ...body } });
  await api.server.jobs.runAlerts();
  return {
    ...rule,
    channel,
    /** All messages to the channel, oldest first. */
    async messages(): Promise<StoredMessage[]> {
      const rows = await api.server.deps.db.read.prisma.webhookDelivery.findMany({
        where: { webhookId: channel },
        orderBy: { id: 'asc' },
      });
      return rows.map(({ body: text }) => JSON.parse(text) as StoredMessage);
    },
    /** Evaluates the rules, then returns all messages as `type cause`. */
    async round(): Promise<string[]> {
      await api.server.jobs.runAlerts();
      return (await this.messages()).map(({ type, data }) => `${type.split('.')[1]} ${data.key}`);
    },
    /** Alerts of the rule, newest first. */
    alerts: async () => (await api.admin.alert.instances({ query: { rule_id: rule.id, page_size: 2_000 } })).data,
  };
}

/** Calls that cause alerts about errors. */
export const errlogCauses = (api: () => TestApi) => ({
  append: (log: string, count: number, more: Record<string, unknown> = {}) =>
    api().admin.errlog.append({ body: { level: 'error', log, count, ...more } }),
  groupOf: async (log: string) => (await api().admin.errlog.list({ query: { q: log } })).data[0]?.id ?? 0,
});
