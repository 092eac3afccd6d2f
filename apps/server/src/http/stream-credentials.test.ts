import { type Actor, AppError, ROLES } from '@quarterdeck/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { userActor } from '../../test/user-actor.ts';
import {
  CHECK_MS,
  type CheckCredential,
  type LongRequest,
  UNCHECKED_MAX_MS,
  watchCredentials,
} from './stream-credentials.ts';

const actor: Actor = { ...userActor(1), permissions: ROLES.viewer };

const request = (secret: string, address = '192.0.2.1'): LongRequest => ({
  headers: { 'api-token': secret },
  address,
  id: 'request',
  actor,
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('checks a credential once for all its streams, and once for each address', async () => {
  const check = vi.fn<CheckCredential>(async () => actor);
  const { watch } = watchCredentials(check);
  const end = vi.fn();
  for (const one of [request('a'), request('a'), request('b'), request('a', '192.0.2.2')]) watch(one, end);
  await vi.advanceTimersByTimeAsync(CHECK_MS);
  expect(check).toHaveBeenCalledTimes(3);
  await vi.advanceTimersByTimeAsync(CHECK_MS);
  expect(check).toHaveBeenCalledTimes(6);
  expect(end).not.toHaveBeenCalled();
});

it('does nothing while no stream is open', async () => {
  const check = vi.fn<CheckCredential>(async () => actor);
  const { watch } = watchCredentials(check);
  expect(vi.getTimerCount()).toBe(0);
  const [one, two] = [watch(request('a'), vi.fn()), watch(request('b'), vi.fn())];
  one();
  expect(vi.getTimerCount()).toBe(1);
  two();
  expect(vi.getTimerCount()).toBe(0);
  watch(request('c'), vi.fn())();
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(10 * CHECK_MS);
  expect(check).not.toHaveBeenCalled();
});

it('ends only the streams of a refused credential, repeatedly until they are closed', async () => {
  const { watch } = watchCredentials(async ({ headers }) => {
    if (headers['api-token'] === 'gone') throw new AppError('credential_invalid');
    return actor;
  });
  const [gone, stays] = [vi.fn(), vi.fn()];
  const unwatch = watch(request('gone'), gone);
  watch(request('stays'), stays);
  await vi.advanceTimersByTimeAsync(2 * CHECK_MS);
  expect(gone).toHaveBeenCalledTimes(2);
  unwatch();
  await vi.advanceTimersByTimeAsync(2 * CHECK_MS);
  expect(gone).toHaveBeenCalledTimes(2);
  expect(stays).not.toHaveBeenCalled();
});

it('ends a stream whose caller has other permissions now', async () => {
  let now: Actor = actor;
  const { watch } = watchCredentials(async () => now);
  const end = vi.fn();
  watch(request('a'), end);
  await vi.advanceTimersByTimeAsync(CHECK_MS);
  expect(end).not.toHaveBeenCalled();
  now = { ...actor, permissions: ROLES.viewer.slice(1) };
  await vi.advanceTimersByTimeAsync(CHECK_MS);
  expect(end).toHaveBeenCalledTimes(1);
});

it('keeps streams open for a limited time when no check is possible', async () => {
  let isAway = true;
  const { watch } = watchCredentials(async () => {
    if (isAway) throw new Error('no database');
    return actor;
  });
  const end = vi.fn();
  watch(request('a'), end);
  await vi.advanceTimersByTimeAsync(UNCHECKED_MAX_MS - CHECK_MS);
  isAway = false;
  await vi.advanceTimersByTimeAsync(CHECK_MS);
  isAway = true;
  await vi.advanceTimersByTimeAsync(UNCHECKED_MAX_MS - CHECK_MS);
  expect(end).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2 * CHECK_MS);
  expect(end).toHaveBeenCalled();
});

it('starts no check before the last one has ended', async () => {
  const answers: (() => void)[] = [];
  const { watch } = watchCredentials(() => new Promise((resolve) => answers.push(() => resolve(actor))));
  watch(request('a'), vi.fn());
  await vi.advanceTimersByTimeAsync(20 * CHECK_MS);
  expect(answers).toHaveLength(1);
  watch(request('b'), vi.fn());
  await vi.advanceTimersByTimeAsync(CHECK_MS);
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(CHECK_MS);
  expect(answers).toHaveLength(3);
});
