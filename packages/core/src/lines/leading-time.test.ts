import { describe, expect, it } from 'vitest';
import { readLeadingTime } from './leading-time.ts';
import { timeZoneOf, UTC_ZONE } from './time-zone.ts';

/** 2026-11-27 12:00 UTC. */
const NOW = Date.UTC(2026, 10, 27, 12) / 1000;
const EVENING = '2026-11-26T20:30:00';

function read(text: string, zone = UTC_ZONE): string | undefined {
  const seconds = readLeadingTime(text, NOW, zone)?.seconds;
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().slice(0, 19);
}

describe('readLeadingTime', () => {
  it.each([
    ['Go, nginx', '2026/11/26 20:30:00 http: panic serving'],
    ['Go with microseconds', '2026/11/26 20:30:00.123456 x'],
    ['ISO 8601', '2026-11-26T20:30:00.123456789Z x'],
    ['ISO 8601 with a zone', '2026-11-26T21:30:00+01:00 x'],
    ['ISO 8601 with hours of a zone', '2026-11-26 15:30:00,123-05 x'],
    ['Serilog', '2026-11-26 20:30:00.000 +00:00 [ERR] x'],
    ['log4j', '2026-11-26 20:30:00,123 [main] ERROR x'],
    ['log4j, level first', 'ERROR 2026-11-26 20:30:00,123 x'],
    ['PostgreSQL', '2026-11-26 20:30:00.123 UTC [12] LOG:  x'],
    ['Apache', '[Thu Nov 26 20:30:00.007002 2026] [core:error] [pid 28:tid 13] x'],
    ['an access log', '192.0.2.4 - frank [26/Nov/2026:21:30:00 +0100] "GET / HTTP/1.1" 200 7'],
    ['logrus', 'time="2026-11-26T20:30:00Z" level=fatal msg="x"'],
    ['slog', 'time=2026-11-26T20:30:00.000Z level=ERROR msg=x'],
    ['go-kit', 'level=info ts=2026-11-26T20:30:00.123Z caller=main.go:1 msg=x'],
    ['log15', 't=2026-11-26T20:30:00+0000 lvl=eror msg=x'],
    ['klog', 'E1126 20:30:00.123456    1 reflector.go:1] x'],
    ['Glog with a year', 'W20261126 20:30:00.123456    1 a.cc:1] x'],
    ['NestJS', '[Nest] 123  - 11/26/2026, 8:30:00 PM   ERROR [X] x'],
    ['WebLogic', '####<Nov 26, 2026 8:30:00 PM UTC> <Error> <Server> x'],
    ['LTSV', 'time:2026-11-26T20:30:00Z\tlevel:error\tmsg:x'],
    ['Tomcat', '26-Nov-2026 20:30:00.123 SEVERE [main] org.apache.catalina.X y'],
    ['PHP', '[26-Nov-2026 21:30:00 Europe/Berlin] PHP Warning:  x'],
    ['PHP in UTC', '[26-Nov-2026 20:30:00 UTC] PHP Warning:  x'],
    ['Laravel', '[2026-11-26 20:30:00] production.ERROR: x'],
    ['Monolog', '[2026-11-26T20:30:00.123456+00:00] app.ERROR: x'],
    ['Dropwizard', 'WARN  [2026-11-26T20:30:00.472Z] x'],
    ['java.util.logging', 'Nov 26, 2026 8:30:00 PM org.x.Y log'],
    ['java.util.logging since Java 20', 'Nov 26, 2026 8:30:00\u202fPM org.x.Y log'],
    ['syslog in a file', 'Nov 26 20:30:00 web1 app[1]: x'],
    ['Redis', '1234:M 26 Nov 2026 20:30:00.123 * x'],
    ['Ruby', 'I, [2026-11-26T20:30:00.123456 #123]  INFO -- : x'],
    ['Tornado', '[E 261126 20:30:00 web:123] x'],
    ['MySQL 5', '261126 20:30:00 [ERROR] x'],
    ['Hadoop', '26/11/26 20:30:00 INFO x'],
    ['a date of the United States', '11/26/2026 8:30:00 PM x'],
    ['a date of Germany', '26.11.2026, 20:30:00 x'],
    ['Android', '11-26 20:30:00.123  1702  2395 D x'],
    ['DB2', '2026-11-26-20.30.00.123456+000 x'],
    ['a compact date', '20261126T203000Z x'],
    ['date', 'Thu Nov 26 20:30:00 UTC 2026 x'],
    ['RFC 5322', 'Thu, 26 Nov 2026 20:30:00 +0000 x'],
    ['Cisco NX-OS', '2026 Nov 26 20:30:00 UTC: x'],
    ['Logback without a date', '20:30:00.123 [main] ERROR x'],
    ['seconds', '1795725000 x'],
    ['seconds with a fraction', '[1795725000.123] x'],
    ['milliseconds', '1795725000123 x'],
    ['Squid', '1795725000.123    145 192.0.2.1 TCP_MISS/200'],
    ['auditd', 'type=AVC msg=audit(1795725000.123:456): x'],
    ['daemontools', '@400000006b0896d21d2e3f40 x'],
  ])('reads %s', (_, text) => {
    expect(read(text)).toBe(EVENING);
  });

  it.each([
    ['worker 7 died'],
    ['job of 2026-11-26 20:30:00 failed'],
    ['May I 10:00:00'],
    ['2026-02-30 20:30:00 x'],
    ['2026-11-26 24:30:00 x'],
    ['2026-11-26 x'],
    ['1234567890 is an id'],
    ['9795725000 is an id'],
    ['17957250001 is an id'],
    ['10.0.0.1:20:30 x'],
    ['id=1795725000 x'],
  ])('reads no time of %s', (text) => {
    expect(readLeadingTime(text, NOW, UTC_ZONE)).toBeUndefined();
  });

  it.each([
    ['1970-01-01T00:00:25Z x', '1970-01-01T00:00:25Z'],
    ['[2099-01-01 00:00:00] x', '2099-01-01 00:00:00'],
  ])('finds that the time of %s is too far off', (text, stamp) => {
    expect(readLeadingTime(text, NOW, UTC_ZONE)).toMatchObject({ seconds: undefined, stamp });
  });

  it('takes a time without a date or year as the last one', () => {
    expect(read('11:59:00 x')).toBe('2026-11-27T11:59:00');
    expect(read('12:30:00 x')).toBe('2026-11-27T12:30:00');
    expect(read('14:00:00 x')).toBe('2026-11-26T14:00:00');
    expect(read('Dec 24 10:00:00 web1 x')).toBe('2025-12-24T10:00:00');
  });

  it('knows zones with their summer time', () => {
    const berlin = timeZoneOf('Europe/Berlin');
    expect(read('2026-11-26 21:30:00 x', berlin)).toBe(EVENING);
    expect(read('2026-07-01 12:00:00 x', berlin)).toBe('2026-07-01T10:00:00');
    expect(read('2026-07-01 12:00:00 x', timeZoneOf('Asia/Kolkata'))).toBe('2026-07-01T06:30:00');
    expect(read('2026-11-26 21:30:00Z x', berlin)).toBe('2026-11-26T21:30:00');
    expect(timeZoneOf('Europe/Nowhere')).toBeUndefined();
  });

  it.each(['1', '1:', 'a=', '[', '2026-', 'ts=', 'Nov ', '1.1.1.', 'x '])('copes with 16 KiB of %j', (piece) => {
    expect(readLeadingTime(piece.repeat(16_384 / piece.length), NOW)?.seconds).toBeUndefined();
  });
});
