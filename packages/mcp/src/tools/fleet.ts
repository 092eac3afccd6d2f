// Tools about hosts: agents, their history, and outages.
import { AgentEventKind, AgentSort, agentFilters, contract } from '@quarterdeck/core';
import { z } from 'zod';
import { defineTool, nextPage, paging, splitPaging } from './tool.ts';

export const listAgents = defineTool({
  name: 'list_agents',
  title: 'List agents',
  description: 'Agents and their hosts that match a filter: state, kernel, package, labels; newest first.',
  input: z.strictObject({
    ...agentFilters,
    sort: AgentSort.optional(),
    at: contract.agent.list.query.shape.at,
    ...paging,
  }),
  async run({ client, signal }, args) {
    const { filters, ...page } = splitPaging(args);
    const query = { ...filters, _page: page.page, _pagesize: page.limit, detail: 1 };
    const { data, meta } = await client.agent.list.page({ query }, { signal });
    return {
      summary: `${data.length} of ${meta.count} agents, page ${page.page}.`,
      data,
      next: nextPage(meta.count, page),
    };
  },
});

export const agentHistory = defineTool({
  name: 'agent_history',
  title: 'History of an agent',
  description:
    'Changes and events in the life of one agent and its host, newest first. Changed lines of configuration files ' +
    'are not shown.',
  input: z.strictObject({
    id: z.int().min(1).meta({ description: 'Id of the agent' }),
    kind: AgentEventKind.optional(),
    ...paging,
  }),
  async run({ client, signal }, { id, ...args }) {
    const { filters, ...page } = splitPaging(args);
    const query = { ...filters, page: page.page, page_size: page.limit };
    const { data, meta } = await client.agent.events({ params: { id }, query }, { signal });
    return {
      summary: `${data.length} of ${meta.count} history entries of agent ${id}, page ${page.page}.`,
      data,
      next: nextPage(meta.count, page),
    };
  },
});

export const outages = defineTool({
  name: 'outages',
  title: 'Outages',
  description: 'Outages, at which many agents went silent together, newest first.',
  input: z.strictObject(paging),
  async run({ client, signal }, args) {
    const page = splitPaging(args);
    const { data, meta } = await client.outage.list({ query: { page: page.page, page_size: page.limit } }, { signal });
    return { summary: `${data.length} of ${meta.count} outages.`, data, next: nextPage(meta.count, page) };
  },
});
