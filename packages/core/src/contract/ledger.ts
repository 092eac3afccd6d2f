import * as z from 'zod';
import { LedgerPage, ledgerQuery } from '../domain/ledger.ts';
import { endpoint } from './endpoint.ts';

export const ledger = {
  list: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/ledger',
    summary: 'Lines read, sent, received, stored, grouped and lost, by source and minute, newest first',
    access: 'errlog:read',
    narrowed: true,
    query: z.object(ledgerQuery),
    data: LedgerPage,
  }),
};
