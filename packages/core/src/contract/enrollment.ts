import * as z from 'zod';
import { Enrollment, EnrollmentChange, EnrollmentDraft, NewEnrollment } from '../domain/enrollment.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { ById } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

/** Fields that people edit. */
const EDITED = ['name', 'labels'];

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
  get: endpoint({
    method: 'GET',
    path: '/api/agents/enrollment/{id}',
    summary: 'One enrollment token',
    access: 'enrollment:manage',
    params: ById,
    data: Enrollment,
    versioned: EDITED,
    errors: ['not_found'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/agents/enrollment/{id}',
    summary: 'Change the name of an enrollment token, or the labels of agents that register from now on',
    access: 'enrollment:manage',
    params: ById,
    body: EnrollmentChange,
    data: Enrollment,
    versioned: EDITED,
    errors: ['not_found', 'precondition_failed'],
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
