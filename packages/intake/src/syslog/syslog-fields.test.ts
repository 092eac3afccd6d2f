import { describe, expect, it } from 'vitest';
import { parseSyslog } from './syslog-line.ts';

const NOW = Date.UTC(2026, 10, 20, 11, 25, 49) / 1000;
const read = (text: string) => parseSyslog(Buffer.from(text), NOW);

describe('RFC 5424', () => {
  it('makes fields of the structured data and of MSGID', () => {
    const text = '<13>1 - h a 7 ID47 [order@1 sum="5" at="a\\"\\]\\\\\\n"][origin ip="192.0.2.1" sum="6"][empty] m';
    expect(read(text)).toMatchObject({
      service: 'a',
      log: 'm',
      fields: { msgid: 'ID47', sum: '5', at: 'a"]\\\\n', ip: '192.0.2.1', 'origin.sum': '6' },
    });
    expect(read('<13>1 - h a 7 - - m')).not.toHaveProperty('fields');
  });

  it('names the fields that it cannot keep', () => {
    const params = Array.from({ length: 130 }, (_, i) => `k${i}="v"`).join(' ');
    const { fields = {} } = read(`<13>1 - h a - - [x@1 ${params}] m`) ?? {};
    expect(Object.keys(fields)).toHaveLength(128);
    expect(fields['fields_dropped']).toBe('k128, k129, k127: The line has more than 128 fields');
    const long = read(`<13>1 - h a - - [x@1 k="${'v'.repeat(5_000)}"] m`)?.fields;
    expect(long?.['k']).toHaveLength(4_096);
    expect(long?.['fields_dropped']).toContain('k: The value is cut');
  });

  it('keeps the fields of nginx beside those of the structured data', () => {
    const text = '<13>1 - h nginx - - [x@1 pid="7" zone="a"] 2026/11/20 09:00:00 [crit] 1#1: *2 text';
    expect(read(text)?.fields).toEqual({ pid: '1', connection: '2', 'x@1.pid': '7', zone: 'a' });
  });
});

describe('a JSON message', () => {
  it('has level, message, request id and fields of the object', () => {
    const object = {
      level: 40,
      time: NOW - 5,
      pid: 7,
      hostname: 'c0ffee',
      reqId: 'r1',
      msg: 'slow',
      took: 1.5,
      peer: { ip: 'x' },
    };
    expect(read(`<14>Nov 20 11:25:49 web1 shop[7]: ${JSON.stringify(object)}`)).toEqual({
      level: 5,
      log: 'slow',
      logTime: NOW,
      appId: 0,
      reqId: 'r1',
      count: 1,
      service: 'shop',
      clock: NOW,
      fields: { pid: '7', hostname: 'c0ffee', took: '1.5', 'peer.ip': 'x' },
      hostname: 'web1',
      appName: 'shop',
      pid: '7',
      isComplete: true,
    });
  });

  it('has host and service of the object where the header has none', () => {
    const object = '{"message":"m","host":"web1","service":"shop"}';
    expect(read(`<14>${object}`)).toMatchObject({ hostname: 'web1', appName: 'shop', service: 'shop' });
    expect(read(`<14>1 - web2 cart - - - ${object}`)).toMatchObject({
      hostname: 'web2',
      service: 'cart',
      fields: { host: 'web1', service: 'shop' },
    });
    expect(read('<14>{"message":"m","host":"agent 12"}')).toMatchObject({ hostname: '', fields: { host: 'agent 12' } });
  });

  it('may follow a cookie', () => {
    expect(read('<14>Nov 20 11:25:49 web1 shop: @cee: {"msg":"m"}')).toMatchObject({ log: 'm', level: 7 });
  });

  it('names members that are taken by the structured data', () => {
    const text = '<14>1 - h a - ID1 [x@1 sum="1"] {"msg":"m","sum":2,"msgid":"own"}';
    expect(read(text)?.fields).toEqual({
      sum: '2',
      'x@1.sum': '1',
      msgid: 'own',
      fields_dropped: 'msgid: Another field has the name',
    });
  });

  it('is text when it has no message, or is cut', () => {
    expect(read('<14>a: {"x":1}')).toMatchObject({ log: '{"x":1}' });
    expect(parseSyslog(Buffer.from('<14>a: {"msg":"m"}'), NOW, 9)?.log).toBe('{"msg":"m"} [cut: 9 bytes]');
  });
});

it.each([
  ['[a@1 k = "v w" l= "x"]', { k: 'v w', l: 'x' }],
  ['[a@1 k=v l=2]', { k: 'v', l: '2' }],
  ['[a@1 word k="v"]', { k: 'v' }],
])('reads structured data that breaks the standard: %s', (data, fields) => {
  expect(read(`<11>1 - h a - - ${data} m`)).toMatchObject({ fields, log: 'm' });
});
