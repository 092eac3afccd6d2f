import { describe, expect, it } from 'vitest';
import { nginxDirective, sendCommand, waysToSend } from './first-lines.ts';

describe('the directive for nginx', () => {
  it.each([
    ['http://127.0.0.1:7080', 'error_log syslog:server=127.0.0.1:5140 info;'],
    ['https://logs.example.com/base', 'error_log syslog:server=logs.example.com:5140 info;'],
    ['http://[::1]:7080', 'error_log syslog:server=[::1]:5140 info;'],
  ])('names the host of %s', (url, directive) => {
    expect(nginxDirective(url)).toBe(directive);
  });
});

describe('the ways to send a first line', () => {
  it.each([
    ['http://127.0.0.1:7080', 'logger -d -n 127.0.0.1 -P 5140 -p user.err hello'],
    ['http://[::1]:7080/', 'logger -d -n ::1 -P 5140 -p user.err hello'],
  ])('have the address %s', (url, command) => {
    const ways = waysToSend(url).map((way) => way.command);
    expect(ways).toContain(command);
    expect(ways).toHaveLength(3);
    for (const way of ways) expect(way).not.toMatch(/\n/);
  });

  it('keep the token out of the arguments of programs, and quote an odd address', () => {
    const command = sendCommand("https://logs.example.com/it's", 'qd_a_x');
    expect(command).toContain("printf 'API-Token: %s' qd_a_x | curl");
    expect(command).toMatch(/'https:\/\/logs\.example\.com\/it'\\''s\/admin-api\/log_server\/errlog'$/);
    expect(sendCommand('http://127.0.0.1:7080')).toContain('"$QUARTERDECK_TOKEN"');
  });
});
