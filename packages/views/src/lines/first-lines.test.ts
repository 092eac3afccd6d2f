import { describe, expect, it } from 'vitest';
import { nginxDirective } from './first-lines.ts';

describe('the directive for nginx', () => {
  it.each([
    ['http://127.0.0.1:7080', 'error_log syslog:server=127.0.0.1:5140 info;'],
    ['https://logs.example.com/base', 'error_log syslog:server=logs.example.com:5140 info;'],
    ['http://[::1]:7080', 'error_log syslog:server=[::1]:5140 info;'],
  ])('names the host of %s', (url, directive) => {
    expect(nginxDirective(url)).toBe(directive);
  });
});
