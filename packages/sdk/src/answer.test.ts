import { contract } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../test/failure-of.ts';
import { checkData, type RequestContext, readAnswer } from './answer.ts';
import { type ApiError, ClientError, isClientError, reasonOf } from './errors.ts';

const QUESTION: RequestContext = {
  target: { method: 'GET', url: 'http://host/admin-api/x' },
  secrets: [],
  hasBody: false,
  nowMs: 0,
};

const failure = (body: unknown, init?: ResponseInit) =>
  failureOf(readAnswer(new Response(typeof body === 'string' ? body : JSON.stringify(body), init), QUESTION));

describe('an answer', () => {
  it.each([
    ['no JSON', 'hello', 200, 'not an envelope'],
    ['JSON of another shape', { data: 1 }, 200, 'not an envelope'],
    ['a status that is no whole number', { status: 0.5 }, 200, 'not an envelope'],
    ['an envelope that contradicts its status', { status: 0, data: 1 }, 500, 'a success in the envelope of a failure'],
  ])('is unexpected where it is %s', async (_, body, status, reason) => {
    expect(await failure(body, { status })).toMatchObject({
      name: 'UnexpectedAnswerError',
      message: expect.stringContaining(`: ${reason} (HTTP ${status}`),
    });
  });

  it.each([300, 302, 399])('is not followed with status %i', async (status) => {
    expect(await failure('', { status, headers: { location: '/elsewhere' } })).toMatchObject({
      message: expect.stringContaining('a redirect to http://host/elsewhere'),
    });
  });

  it('has the status of its envelope when HTTP answers 200 and the envelope has a failure status', async () => {
    const statusOf = async (said: number, status = 200) =>
      ((await failure({ status: said, msg: 'no' }, { status })) as ApiError).status;
    expect(await Promise.all([399, 400, 599, 600].map((said) => statusOf(said)))).toEqual([200, 400, 599, 200]);
    expect(await statusOf(400, 409)).toBe(409);
  });

  it('keeps valid fields, and none when they are not a list', async () => {
    const fieldsOf = async (fields: unknown) =>
      ((await failure({ status: 400, msg: 'no', err: { code: 'x', fields } })) as ApiError).fields;
    expect(await fieldsOf('all of them')).toEqual([]);
    expect(await fieldsOf([1, { path: 'body.name', message: 'too long' }, {}])).toEqual([
      { path: 'body.name', message: 'too long' },
      { path: '', message: '' },
    ]);
  });
});

describe('data that does not fit', () => {
  it('is described by its first three violations', () => {
    const told = checkData({}, contract.user.me.data) ?? '';
    expect(told).toMatch(/^the data does not fit the contract: data\.\w+: [^;]+; data\.\w+: [^;]+; data\.\w+: [^;]+$/);
    expect(checkData([], contract.userGroup.list.data)).toBeUndefined();
  });
});

describe('a failure', () => {
  it('is recognized by other copies of the package', () => {
    const error = new ClientError('x', QUESTION.target);
    expect(error.name).toBe('ClientError');
    expect(isClientError(error)).toBe(true);
    expect(isClientError({ [Symbol.for('@quarterdeck/sdk error')]: 'ClientError' })).toBe(true);
    expect(isClientError({ [Symbol.for('')]: 'ClientError' })).toBe(false);
  });

  it('has the code of its innermost cause, within five levels', () => {
    const nested = (codes: readonly unknown[]): Error =>
      codes.reduceRight<Error>(
        (cause, code) => Object.assign(new Error('outer', { cause }), { code }),
        new Error('innermost'),
      );
    const codeOf = (...codes: unknown[]) => reasonOf(nested(codes), []).code;
    expect(codeOf('ECONNREFUSED', 'ENOTFOUND')).toBe('ENOTFOUND');
    expect(codeOf('ECONNREFUSED', 'x', 'xEPIPE', 7, ['EPIPE'])).toBe('ECONNREFUSED');
    expect(codeOf('EONE', 'x', 'x', 'x', 'EFIVE', 'ESIX')).toBe('EFIVE');
  });
});
