import { describe, expect, it } from 'vitest';
import { AGENT_ARGUMENTS } from '../agents/agent-filter.ts';
import { ERRLOG_ARGUMENTS } from '../errlog/filter-changes.ts';
import { argumentsProblem } from './arguments.ts';

describe('arguments of commands', () => {
  it.each([
    [ERRLOG_ARGUMENTS, { levl: '4' }, /^Unknown filter: levl\. Filters: level, /],
    [ERRLOG_ARGUMENTS, { level: 'loud' }, /Invalid level: loud/],
    [ERRLOG_ARGUMENTS, { state: 'gone' }, /Invalid state: gone/],
    [ERRLOG_ARGUMENTS, { app: 'x' }, /Invalid app: x/],
    [ERRLOG_ARGUMENTS, { constructor: '1' }, /filter: constructor/],
    [AGENT_ARGUMENTS, { state: 'ofline' }, /Invalid state: ofline/],
    [AGENT_ARGUMENTS, { kernl: '\u001b[31m' }, /filter: kernl/],
  ])('are rejected: %#', (known, args, problem) => {
    expect(argumentsProblem(args as Record<string, string>, known)).toMatch(problem);
  });
});
