import { describe, expect, it } from 'vitest';
import { environmentWith, takeService } from './service.ts';

const PID = 4711;

describe('takeService', () => {
  it('finds nothing in a program that systemd did not start', () => {
    const env = { PATH: '/bin' };
    expect(takeService(env, PID)).toEqual({
      variables: {},
      notifySocket: undefined,
      watchdogMs: undefined,
      sockets: [],
    });
    expect(env).toEqual({ PATH: '/bin' });
  });

  it('removes the variables from the environment of the programs that are started later', () => {
    const env: NodeJS.ProcessEnv = {
      PATH: '/bin',
      NOTIFY_SOCKET: '/run/systemd/notify',
      WATCHDOG_USEC: '30000000',
      WATCHDOG_PID: String(PID),
      LISTEN_FDS: '2',
      LISTEN_PID: String(PID),
      LISTEN_FDNAMES: 'http:syslog',
    };
    const service = takeService(env, PID);
    expect(env).toEqual({ PATH: '/bin' });
    expect(service).toMatchObject({
      notifySocket: '/run/systemd/notify',
      watchdogMs: 30_000,
      sockets: [
        { fd: 3, name: 'http' },
        { fd: 4, name: 'syslog' },
      ],
    });
  });

  it.each([
    ['another process', { WATCHDOG_USEC: '30000000', WATCHDOG_PID: '1' }],
    ['no time', { WATCHDOG_USEC: '0' }],
    ['no number', { WATCHDOG_USEC: 'soon' }],
  ])('has no watchdog for %s', (_, env) => {
    expect(takeService({ ...env }, PID).watchdogMs).toBeUndefined();
  });

  it.each([
    ['for another process', { LISTEN_FDS: '1', LISTEN_PID: '1' }],
    ['without a process', { LISTEN_FDS: '1' }],
    ['in an absurd number', { LISTEN_FDS: '100000', LISTEN_PID: String(PID) }],
    ['in a negative number', { LISTEN_FDS: '-1', LISTEN_PID: String(PID) }],
  ])('has no sockets %s', (_, env) => {
    expect(takeService({ ...env }, PID).sockets).toEqual([]);
  });

  it('names a socket without a name as systemd does', () => {
    const env = { LISTEN_FDS: '2', LISTEN_PID: String(PID), LISTEN_FDNAMES: 'http' };
    expect(takeService(env, PID).sockets.map(({ name }) => name)).toEqual(['http', 'unknown']);
  });
});

describe('environmentWith', () => {
  it('gives notifications and watchdog to the program that replaces this one, and no sockets', () => {
    const notifications = { NOTIFY_SOCKET: '@notify', WATCHDOG_USEC: '1000000', WATCHDOG_PID: String(PID) };
    const env: NodeJS.ProcessEnv = { PATH: '/bin', ...notifications, LISTEN_FDS: '1', LISTEN_PID: String(PID) };
    const service = takeService(env, PID);
    expect(environmentWith(service, env)).toEqual({ PATH: '/bin', ...notifications });
  });
});
