// Fails a test that writes to console.error or console.warn.
import { afterEach, beforeEach, expect, vi } from 'vitest';

/** The terminal emulator warns where the machine does other work. */
const SLOW_MACHINE = /^task queue exceeded allotted deadline/;

beforeEach(() => {
  vi.spyOn(console, 'error');
  vi.spyOn(console, 'warn');
});

afterEach(() => {
  // biome-ignore lint/suspicious/noConsole: this is the check for it
  expect(vi.mocked(console.error).mock.calls).toEqual([]);
  // biome-ignore lint/suspicious/noConsole: this is the check for it
  expect(vi.mocked(console.warn).mock.calls.filter(([text]) => !SLOW_MACHINE.test(String(text)))).toEqual([]);
});
