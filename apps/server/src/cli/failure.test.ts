import { AppError } from '@quarterdeck/core';
import { DatabaseError } from '@quarterdeck/core/db';
import { ConfigError } from '@quarterdeck/core/environment';
import { expect, it } from 'vitest';
import { EXIT } from '../process/exit-codes.ts';
import { Refusal, UsageError } from '../process/refusal.ts';
import { explain } from './failure.ts';

it.each([
  [new UsageError('x'), EXIT.badUsage],
  [new ConfigError('x'), EXIT.badUsage],
  [new Refusal('x'), EXIT.refused],
  [new Refusal('x', EXIT.auditBroken), EXIT.auditBroken],
  [new AppError('conflict', { message: 'x' }), EXIT.refused],
  [new AppError('overloaded', { message: 'x' }), EXIT.tryAgain],
  [new DatabaseError('missing', 'x'), EXIT.refused],
  [new DatabaseError('unavailable', 'x'), EXIT.unreachable],
  [new DatabaseError('busy', 'x'), EXIT.tryAgain],
  [new DatabaseError('locked', 'x'), EXIT.tryAgain],
])('gives %s its exit code, and its message alone', async (error, exitCode) => {
  expect(await explain(error)).toEqual({ text: 'x', exitCode });
});

it('gives a bug its stack, and never the exit code of a broken audit log', async () => {
  const { text, exitCode } = await explain(new TypeError('x'));
  expect(text).toMatch(/^TypeError: x\n +at /);
  expect(exitCode).toBe(EXIT.refused);
});
