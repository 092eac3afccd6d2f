import * as z from 'zod';
import { Enrollment, EnrollmentDraft, NewEnrollment } from '../domain/enrollment.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { ById } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

export const enrollment = {
  list: endpoint({
    method: 'GET',
    path: '/api/agents/enrollment',
    summary: 'Enrollment tokens, newest first',
    access: 'enrollment:manage',
    query: z.object(pageQuery),
    data: pageOf(Enrollment),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/agents/enrollment',
    summary: 'Create an enrollment token; only this answer has its secret',
    access: 'enrollment:manage',
    body: EnrollmentDraft,
    data: NewEnrollment,
    carriesSecret: true,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/agents/enrollment/{id}',
    summary: 'Revoke an enrollment token; its agents stay enrolled',
    access: 'enrollment:manage',
    params: ById,
    data: z.undefined(),
    errors: ['not_found'],
  }),
};
