import * as z from 'zod';
import { Outage } from '../domain/agent-event.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { endpoint } from './endpoint.ts';

export const outage = {
  list: endpoint({
    method: 'GET',
    path: '/api/agents/outage',
    summary: 'Outages, at which many agents went silent together, newest first',
    access: 'agent:read',
    query: z.object(pageQuery),
    data: pageOf(Outage),
  }),
};
