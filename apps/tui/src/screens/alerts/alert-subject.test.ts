import type { Alert } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { subjectTarget } from './alert-subject.ts';

const of = (key: string, kind: Alert['kind'] = 'errlog.count') => subjectTarget({ key, kind } as Alert);

describe('the way to what an alert is about', () => {
  it('leads to the row that the key names', () => {
    expect(of('group:17')).toEqual({ screen: 'errlog', args: { id: '17' } });
    expect(of('source:3')).toEqual({ screen: 'errlog', args: { src: '3' } });
    expect(of('source:3', 'silence')).toEqual({ screen: 'sources', args: { id: '3' } });
    expect(of('agent:12', 'agent.offline')).toEqual({ screen: 'agents', args: { id: '12' } });
  });

  it('quotes the name of a service', () => {
    expect(of('service:a "b" c')).toEqual({ screen: 'errlog', text: 'service:"a \\"b\\" c"' });
  });

  it('leads nowhere for what is no row', () => {
    expect(of('disk', 'server.health')).toBeUndefined();
    expect(of('toString:1', 'server.health')).toBeUndefined();
    expect(of('drops', 'server.health')).toEqual({ screen: 'sources' });
    expect(of('signin', 'signin.failed')).toEqual({ screen: 'audit' });
  });
});
