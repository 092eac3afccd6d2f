// Tools about alerts: the causes that rules have found.
import { type Alert, alertFilters } from '@quarterdeck/core';
import { z } from 'zod';
import { defineTool, nextPage, paging, splitPaging, textLast } from './tool.ts';

/** A row of the list: the suspected change as its sentence, because get_alert has the rest. */
const shownAlert = (alert: Alert) => ({
  id: alert.id,
  state: alert.state,
  title: alert.title,
  rule_id: alert.rule_id,
  rule: alert.rule,
  kind: alert.kind,
  groups: alert.groups,
  since: alert.since,
  resolved: alert.resolved,
  acknowledged: alert.acknowledged,
  assigned: alert.assigned,
  muted_until: alert.muted_until,
  parent_id: alert.parent_id,
  cause: alert.cause?.sentence ?? alert.cause?.why ?? null,
});

export const listAlerts = defineTool({
  name: 'list_alerts',
  title: 'List alerts',
  description:
    'Alerts that rules have found, newest first, each with its suspected change in a sentence. state firing lists those ' +
    'that last.',
  input: z.strictObject({ ...alertFilters, ...paging }),
  async run({ client, signal }, args) {
    const { filters, ...page } = splitPaging(args);
    const query = { ...filters, page: page.page, page_size: page.limit };
    const { data, meta } = await client.alert.instances({ query }, { signal });
    return {
      summary: `${data.length} of ${meta.count} alerts, page ${page.page}.`,
      data: data.map(shownAlert),
      next: nextPage(meta.count, page),
    };
  },
});

export const getAlert = defineTool({
  name: 'get_alert',
  title: 'Get an alert',
  description:
    'One alert with all that is known about it: the error, its counts against usual, its hosts, the suspected change ' +
    'before it or why none is named, who acknowledged it, and the newest lines.',
  input: z.strictObject({ id: z.int().min(1).meta({ description: 'Id of the alert' }) }),
  async run({ client, signal }, { id }) {
    const { lines, incomplete, meta, ...alert } = await client.alert.instance({ params: { id } }, { signal });
    const cause = alert.cause?.sentence == null ? 'no change is named' : 'a change is suspected';
    return {
      summary: `Alert ${id}: ${alert.state}, ${cause}, ${lines.length} lines.`,
      data: { ...alert, lines: lines.map(textLast) },
      meta: { ...meta, incomplete },
    };
  },
});
