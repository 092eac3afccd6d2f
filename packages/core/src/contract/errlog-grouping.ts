// Corrections of grouping by people. They are verbs of the noun `errlog`.
import * as z from 'zod';
import { BulkQuery } from '../domain/bulk.ts';
import {
  ErrlogHistory,
  ErrlogMerge,
  ErrlogRegrouped,
  ErrlogRule,
  ErrlogRuleDraft,
  ErrlogRuleRemoval,
  ErrlogRuleTrial,
  ErrlogSplit,
} from '../domain/errlog-grouping.ts';
import { pageOf, pageQuery } from '../domain/page.ts';
import { ById } from '../domain/primitives.ts';
import { endpoint } from './endpoint.ts';

/** Verbs with literal paths, which come before those with an id. */
export const errlogRules = {
  merge: endpoint({
    method: 'POST',
    path: '/admin-api/log_server/errlog/merge',
    summary: 'Merge groups for good: their errors are one on every source, and later lines follow',
    access: 'errlog:manage',
    query: BulkQuery,
    body: ErrlogMerge,
    data: ErrlogRegrouped,
    errors: ['not_found', 'conflict'],
  }),
  rules: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/errlog/rule',
    summary: 'Rules that make groups, in the order in which lines try them',
    access: 'errlog:read',
    query: z.object(pageQuery),
    data: pageOf(ErrlogRule),
  }),
  addRule: endpoint({
    method: 'POST',
    path: '/admin-api/log_server/errlog/rule',
    summary: 'Make a rule for later lines; the answer says which lines of the last day match',
    access: 'errlog:manage',
    query: BulkQuery,
    body: ErrlogRuleDraft,
    data: ErrlogRuleTrial,
    errors: ['conflict', 'overloaded'],
  }),
  removeRule: endpoint({
    method: 'DELETE',
    path: '/admin-api/log_server/errlog/rule',
    summary: 'Delete a rule, by its text; its groups stay as they are',
    access: 'errlog:manage',
    query: BulkQuery,
    body: ErrlogRuleRemoval,
    data: ErrlogRule,
    errors: ['not_found'],
  }),
};

/** Verbs of one group. */
export const errlogGrouping = {
  split: endpoint({
    method: 'POST',
    path: '/admin-api/log_server/errlog/{id}/split',
    summary: 'Split lines off a group for good: back to the group that they were merged from, or to a new one',
    access: 'errlog:manage',
    params: ById,
    query: BulkQuery,
    body: ErrlogSplit,
    data: ErrlogRegrouped,
    errors: ['not_found', 'conflict'],
  }),
  history: endpoint({
    method: 'GET',
    path: '/admin-api/log_server/errlog/{id}/history',
    summary: 'Who merged what into a group and split what off, newest first',
    access: 'errlog:read',
    narrowed: true,
    params: ById,
    data: ErrlogHistory,
    errors: ['not_found'],
  }),
};
