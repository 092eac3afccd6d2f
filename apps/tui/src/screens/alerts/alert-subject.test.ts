import type { Alert } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { subjectTarget } from './alert-subject.ts';

const of = (key: string, kind: Alert['kind'] = 'errlog.count', over: Partial<Alert> = {}) =>
  subjectTarget(build.alert({ key, kind, groups: [], ...over }));

describe('the way to what an alert is about', () => {
  it('leads to the row that the key names', () => {
    expect(of('group:17')).toEqual({ screen: 'errlog', args: { id: '17' } });
    expect(of('source:3')).toEqual({ screen: 'errlog', args: { src: '3' } });
    expect(of('source:3', 'silence')).toEqual({ screen: 'sources', args: { id: '3' } });
    expect(of('agent:12', 'agent.offline')).toEqual({ screen: 'agents', args: { id: '12' } });
  });

  it('filters the errors of several groups, and leads to the first host of a certificate', () => {
    expect(of('group:17', 'errlog.new', { groups: [17, 18] })).toEqual({
      screen: 'errlog',
      text: 'group:17 OR group:18',
    });
    expect(of('many:3', 'errlog.new', { groups: [4] })).toEqual({ screen: 'errlog', args: { id: '4' } });
    const detail = { sample: [{ agent_id: 9, hostname: 'gw-1' }] };
    expect(of('certificate:ab', 'certificate.expiring', { detail })).toEqual({ screen: 'agents', args: { id: '9' } });
    expect(of('certificate:ab', 'certificate.expiring')).toBeUndefined();
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
