import * as z from 'zod';
import { AuditEntry, AuditVerdict, auditFilters } from '../domain/audit.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { endpoint } from './endpoint.ts';

export const audit = {
  list: endpoint({
    method: 'GET',
    path: '/admin-api/audit',
    summary: 'Audit log, newest first',
    access: 'audit:read',
    query: z.object({ ...pageQuery, ...auditFilters }),
    data: pageOf(AuditEntry),
  }),
  verify: endpoint({
    method: 'GET',
    path: '/admin-api/audit/verify',
    summary: 'Check that no entry was changed or removed',
    access: 'audit:read',
    data: AuditVerdict,
  }),
};
