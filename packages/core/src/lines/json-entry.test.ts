import { describe, expect, it } from 'vitest';
import { readJson } from './json-entry.ts';
import { FieldSet } from './line-fields.ts';

const NOW = 1_795_300_000;

function read(object: unknown) {
  const fields = new FieldSet();
  const entry = readJson(typeof object === 'string' ? object : JSON.stringify(object), NOW, { fields });
  return { entry, fields: fields.takeWithLost() };
}

describe('readJson', () => {
  const stack = 'Error: no stock\n    at a (/a.js:1:1)';

  it('reads the nested stack of pino', () => {
    const err = { type: 'Error', message: 'no stock', stack, code: 'E1' };
    expect(read({ level: 50, msg: 'order failed', err })).toEqual({
      entry: { level: 4, log: `order failed\n${stack}`, isTrace: true },
      fields: { 'err.type': 'Error', 'err.code': 'E1' },
    });
    expect(read({ level: 50, msg: 'no stock', err }).entry?.log).toBe(stack);
    expect(read({ err }).entry).toEqual({ log: stack, isTrace: true });
  });

  it.each([
    ['winston, beside the message', { level: 'error', message: 'no stock', stack }, stack],
    ['winston, nested', { level: 'error', message: 'order', error: { message: 'no stock', stack } }, `order\n${stack}`],
    ['ECS', { message: 'order', 'error.stack_trace': stack }, `order\n${stack}`],
    ['ECS, nested', { message: 'order', error: { stack_trace: stack } }, `order\n${stack}`],
    ['OpenTelemetry', { message: 'order', 'exception.stacktrace': stack }, `order\n${stack}`],
  ])('reads the stack of %s', (_, object, log) => {
    expect(read(object).entry).toMatchObject({ log, isTrace: true });
  });

  it('makes fields of all other members', () => {
    const object = {
      msg: 'm',
      error: 'E7',
      ok: true,
      tags: ['a'],
      none: null,
      fields: { zone: 'a' },
      peer: { ip: 'x' },
    };
    expect(read(object)).toEqual({
      entry: { log: 'm', isTrace: false },
      fields: { error: 'E7', ok: 'true', tags: '["a"]', zone: 'a', 'peer.ip': 'x' },
    });
  });

  it('names host and service', () => {
    const { entry, fields } = read({ msg: 'm', hostname: 'web1', 'service.name': 'shop\u0007' });
    expect(entry).toMatchObject({ host: 'web1', service: 'shop' });
    expect(fields).toMatchObject({ hostname: 'web1' });
    expect(read({ msg: 'm', host: { name: 'web1' }, service: 7 }).entry).toEqual({
      log: 'm',
      isTrace: false,
      host: 'web1',
    });
  });

  it('names members that it cannot keep', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const { entry, fields } = read(`{"msg":"m","deep":${deep},"a":1}`);
    expect(entry?.log).toBe('m');
    expect(fields?.['a']).toBe('1');
    expect(fields?.['fields_dropped']).toContain('deep: ');
    const nested = `${'{"fields":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    expect(read(`{"msg":"m","fields":${nested}}`).entry?.log).toBe('m');
  });
});
