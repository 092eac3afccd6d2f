// Changed lines of configuration files, with their secrets masked.
import { describe, expect, it } from 'vitest';
import { isComparable, maskedDiff } from '../../src/watch/config/line-diff.ts';
import { PEM } from './pem.ts';

describe('the difference of two contents', () => {
  const diff = (before: string, after: string, path = '/etc/nginx/nginx.conf') =>
    maskedDiff(path, Buffer.from(before), Buffer.from(after));

  it('has the changed lines with their neighbours', () => {
    const lines = Array.from({ length: 20 }, (_, n) => `listen ${n + 1};`);
    const after = lines.with(9, 'other;').join('\n');
    expect(diff(lines.join('\n'), after)).toBe(
      [
        '@@ -8,5 +8,5 @@',
        ' listen 8;',
        ' listen 9;',
        '-listen 10;',
        '+...(5 characters);',
        ' listen 11;',
        ' listen 12;',
      ].join('\n'),
    );
    expect(diff('', 'ssl on;\naio off;\n')).toBe('@@ -1,0 +1,2 @@\n+ssl on;\n+aio off;');
    expect(diff('ssl on;\n', '')).toBe('@@ -1,1 +1,0 @@\n-ssl on;');
    expect(diff('ssl on;\r\naio on;\r\n', 'ssl on;\r\naio off;\r\n')).toBe(
      '@@ -1,2 +1,2 @@\n ssl on;\n-aio on;\n+aio off;',
    );
  });

  it('shows that a secret changed, and not the secret', () => {
    expect(diff('user x;\npassword = canary1\n', 'user x;\npassword = canary2\n')).toBe(
      '@@ -1,2 +1,2 @@\n user x;\n-...(18 characters)\n+...(18 characters)',
    );
  });

  it('hides lines whose secret begins above the change, or before the statement was taken apart', () => {
    const [before, after] = [`a;\n${PEM}\nb;`, `a;\n${PEM.replace('abc', 'abd')}\nb;`];
    expect(diff(before, after)).not.toMatch(/ab[cd]|MII/);
    const taken = diff('secrets = {\n  canary\n  x\n}\n', 'other;\n  canary\n');
    expect(taken).not.toContain('canary');
  });

  it('is cut at 64 KiB, between two lines', () => {
    const many = Array.from(
      { length: 3_000 },
      (_, n) => `server_name ${n % 1000}.example.org.and.some.more.text;`,
    ).join('\n');
    const text = diff('', many) ?? '';
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text).toMatch(/text;\n… cut$/);
  });

  it('is missing where nothing differs, or the content is no text', () => {
    expect(diff('a', 'a')).toBeUndefined();
    expect(maskedDiff('/a', Buffer.from([0xff, 0xfe]), Buffer.from('a'))).toBeUndefined();
  });
});

describe('files whose lines are compared', () => {
  it.each([
    'server.key',
    'privkey.pem',
    'store.p12',
    '.htpasswd',
    'users.htpasswd',
    'htpasswd',
    'shadow',
    'secrets.yaml',
    'db-credentials.json',
    'id_ed25519',
    'app.env',
    '.env',
    'ticket.key',
  ])('are not %s', (name) => {
    expect(isComparable(`/etc/nginx/${name}`, 0o644, 100)).toBe(false);
  });

  it('are small, and not for their owner alone', () => {
    expect(isComparable('/etc/nginx/nginx.conf', 0o640, 100)).toBe(true);
    expect(isComparable('/etc/nginx/nginx.conf', 0o600, 100)).toBe(false);
    expect(isComparable('/etc/nginx/nginx.conf', 0o644, 300_000)).toBe(false);
  });
});
