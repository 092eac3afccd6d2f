import { nginxFields } from '@quarterdeck/core/lines';
import { describe, expect, it } from 'vitest';
import { allFields, unreadableFields } from './occurrence-fields.ts';

const log = 'failed, client: 10.0.0.1, server: a.example, request: "GET /x HTTP/1.1"';
const line = (fields: Record<string, string>, text = log) => ({
  level: 4,
  log: text,
  logTime: 1,
  appId: 0,
  reqId: '',
  count: 1,
  fields,
});

describe('the fields of a line', () => {
  it.each([
    [{ order: '17', region: 'eu' }],
    [{ order: 'a.example', region: '10.0.0.1' }],
    [{ client: '10.9.9.9', server: 'a.example' }],
    [{ pid: '7', connection: '9' }],
    [{ pid: '7', order: '1', request: 'GET /x HTTP/1.1' }],
  ])('are all there again: %j', (fields) => {
    expect(allFields(unreadableFields(line(fields)), log)).toEqual({ ...nginxFields(log, 0, 0), ...fields });
    expect(unreadableFields(line(fields, 'failed'))).toEqual(fields);
  });

  it('are not stored again where the text has them', () => {
    const fields = { ...nginxFields(log, 0, 0), pid: '7' };
    expect(unreadableFields({ ...line(fields), hasTextFields: true })).toEqual({ pid: '7' });
    expect(unreadableFields(line(fields))).toEqual({ pid: '7' });
    expect(unreadableFields(line({ client: '10.0.0.1' }))).toBeUndefined();
  });
});
