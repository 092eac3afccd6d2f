// The form of every failure of the server: wire contract section 1.
import { expect } from 'vitest';
import type { RawAnswer } from './raw-socket.ts';
import type { Answer, TestApi } from './start-api.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Checks the failures of a server. */
export function failuresOf(api: () => TestApi) {
  /** Checks the form of a failure; returns its `err`. */
  function expectFailure(answer: { status: number; text: string }, status: number, code: string): Answer {
    const body = JSON.parse(answer.text);
    expect({ http: answer.status, code: body.err?.code }).toEqual({ http: status, code });
    expect(Object.keys(body)).toEqual(['status', 'msg', 'time', 'err']);
    expect(body.status).toBe(status);
    expect(body.msg).toMatch(/^\S.*$/);
    expect(Math.abs(body.time - api().now() / 1000)).toBeLessThan(30);
    const extra = ['detail', 'fields'].filter((name) => name in body.err);
    expect(Object.keys(body.err)).toEqual(['code', ...extra, 'request_id']);
    // No internals are shown.
    expect(answer.text).not.toMatch(/ {4}at |node_modules|SELECT |\/src\/|ZodError|Prisma|sqlite|postgres/i);
    return body.err;
  }

  /** Checks the last answer of a connection. */
  function expectRawFailure(answers: RawAnswer[], status: number, code: string): void {
    const last = answers.at(-1);
    if (last === undefined) throw new Error('no answer');
    const err = expectFailure({ status: last.status, text: last.body }, status, code);
    expect(last.headers['content-type']).toBe(JSON_TYPE);
    expect(last.headers['cache-control']).toBe('no-store');
    expect(last.headers['x-request-id']).toBe(err.request_id);
    expect(last.headers['www-authenticate']).toBe(status === 401 ? 'Bearer realm="quarterdeck"' : undefined);
  }

  return { expectFailure, expectRawFailure };
}
