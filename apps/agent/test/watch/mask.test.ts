// Secrets of configuration files never leave the host. Each secret of the table has the word CANARY or a form of its
// own, and no part of it may be left.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isComparable, maskedDiff } from '../../src/watch/config/line-diff.ts';
import { maskLines } from '../../src/watch/config/mask.ts';

const mask = (text: string, isLua = false): string | undefined => maskLines(text.split('\n'), isLua)?.join('\n');

const PEM = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'Proc-Type: 4,ENCRYPTED',
  '',
  'MIIEpAIBAAKCAQEAcanary',
  'abc',
  '-----END RSA PRIVATE KEY-----',
].join('\n');

/** Configuration with secrets, and the texts that must not be left of it. */
const SECRETS: readonly (readonly [name: string, text: string, ...secrets: string[]])[] = [
  [
    'inline key',
    'ssl_certificate_key "data:-----BEGIN PRIVATE KEY-----\\nMIIEcanary\\n-----END PRIVATE KEY-----";',
    'MIIE',
  ],
  ['key from a variable', 'ssl_certificate_key data:$canary;', 'canary'],
  ['key engine', 'ssl_certificate_key "engine:pkcs11:pin-canary";', 'canary'],
  ['PEM block', `x = [[\n${PEM}\n]]`, 'canary', 'abc', 'ENCRYPTED'],
  ['PEM block in YAML', `tls:\n  key: |\n    ${PEM.replaceAll('\n', '\n    ')}\n  other: 1`, 'canary', 'abc'],
  ['OpenSSH key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blcanary\n-----END OPENSSH PRIVATE KEY-----', 'canary'],
  ['header Authorization', 'proxy_set_header Authorization "Basic Y2FuYXJ5OmNhbmFyeQ==";', 'Y2Fu'],
  ['header without quotes', 'proxy_set_header Authorization canary;', 'canary'],
  ['header in the next line', 'proxy_set_header Authorization\n    "Bearer canary";', 'canary'],
  ['header two lines later', 'proxy_set_header X-Auth-Token\n    x\n    "canary";', 'canary'],
  ['header with a line break', 'proxy_set_header Authorization "Basic\n  canary";', 'canary'],
  ['scheme in another header', 'proxy_set_header X-Upstream "Bearer canary-canary";', 'canary'],
  ['basic scheme in a variable', 'set $upstream "Basic dXNlcjpwYXNz";', 'dXNlcj'],
  ['digest', 'more_set_input_headers "X-A: Digest username=canary, response=canary";', 'canary'],
  ['header X-Api-Key', 'proxy_set_header X-Api-Key canary;', 'canary'],
  ['header Cookie', 'proxy_set_header Cookie "sid=canary; other=canary2";', 'canary'],
  ['header X-Auth', "more_set_headers 'X-Auth: canary';", 'canary'],
  ['users of basic authentication', 'admin:$apr1$canary$abc/def.ghi', 'canary', 'ghi'],
  ['bcrypt user', 'admin:$2y$10$canarycanarycanary', 'canary'],
  ['DES user', 'admin:cAnArYcAnArY1', 'cAnArY'],
  ['SSHA user', 'admin:{SSHA}Y2FuYXJ5', 'Y2Fu'],
  ['plain user', 'admin:{PLAIN}canary', 'canary'],
  ['env', 'env DB_PASSWORD=canary;', 'canary'],
  ['env with another name', 'env MYSQL_PWD=canary;', 'canary'],
  ['export', 'export AWS_SECRET_ACCESS_KEY=canary', 'canary'],
  ['short name', 'DB_PASS=canary', 'canary'],
  ['parameter', 'fastcgi_param DB_PASS canary;', 'canary'],
  ['parameter of PHP', 'fastcgi_param PHP_ADMIN_VALUE "mysqli.default_pw=canary";', 'canary'],
  ['pass with an equal sign behind a directive', 'redis_pass = "canary"', 'canary'],
  ['variable', 'set $db_pass "canary";', 'canary'],
  ['password=', 'password=canary', 'canary'],
  ['passwd:', 'passwd: canary', 'canary'],
  ['pwd', 'pwd = canary', 'canary'],
  ['passphrase', 'passphrase "canary canary2"', 'canary'],
  ['German spelling is no excuse', 'Passwort = canary', 'canary'],
  ['requirepass', 'requirepass canary', 'canary'],
  ['masterauth', 'masterauth canary', 'canary'],
  ['bindpw', 'auth_ldap_bindpw canary;\nbindpw canary', 'canary'],
  ['comment', '# old password: canary', 'canary'],
  ['two on a line', 'user=x password=canary token=canary2', 'canary'],
  ['api key', 'api_key = "canary"', 'canary'],
  ['apiKey', '"apiKey": "canary",', 'canary'],
  ['api-key', 'api-key: canary', 'canary'],
  ['access key', 'access_key_id = canary', 'canary'],
  ['secret', 'client_secret = canary', 'canary'],
  ['secure link', 'secure_link_secret canary;', 'canary'],
  ['secure link hash', 'secure_link_md5 "$secure_link_expires$uri canary-secret";\nsecret canary;', 'secret canary'],
  ['ticket key', 'ssl_session_ticket_key data:canary;', 'canary'],
  ['salt', 'salt = canary', 'canary'],
  ['psk', 'psk canary', 'canary'],
  ['hmac', 'hmac_sha256 canary;', 'canary'],
  ['signature in a query', 'proxy_pass https://store.example/x?sig=canary&other=1;', 'canary'],
  ['token in a query', 'proxy_pass https://store.example/x?access_token=canary;', 'canary'],
  ['AWS signature in a query', 'return 302 https://s3.example/x?X-Amz-Signature=canary;', 'canary'],
  ['SNMP community', 'rocommunity canary', 'canary'],
  ['credentials', 'credentials = canary', 'canary'],
  ['condition', 'if ($http_authorization != "Bearer canary") {\n  return 401;\n}', 'canary'],
  ['condition on a key', 'if ($arg_key = canary) {\n  return 401;\n}', 'canary'],
  ['map of keys', 'map $http_x_api_key $client {\n  default "";\n  "canary" "shop";\n  canary2 "other";\n}', 'canary'],
  ['map of tokens', 'map $arg_token $ok {\n  canary 1;\n}', 'canary'],
  ['object', '"secrets": {\n  "db": "canary",\n  "nested": { "a": "canary2" }\n},\n"port": 1', 'canary'],
  ['list', 'passwords = [\n  "canary",\n  "canary2",\n]', 'canary'],
  ['YAML block', 'password: |\n  canary\n  canary2\nport: 1', 'canary'],
  ['YAML folded block', 'token: >-\n  canary\nport: 1', 'canary'],
  ['YAML list', 'passwords:\n- canary\n- canary2\nport: 1', 'canary'],
  ['YAML in the next line', 'secret:\n  canary', 'canary'],
  ['JSON in the next line', '"password":\n"canary"', 'canary'],
  ['XML', '<password>canary</password>', 'canary'],
  ['XML over lines', '<password>\n  canary\n</password>', 'canary'],
  ['PHP array', "'password' => 'canary',", 'canary'],
  ['PHP array over lines', "'password' =>\n  'canary',", 'canary'],
  ['continued line', 'password = a \\\n  canary \\\n  canary2', 'canary'],
  ['joined line', 'local password = "a" ..\n  "canary"', 'canary'],
  ['quoted over lines', 'password = "a\ncanary\nb"', 'canary'],
  ['Lua long string', 'local secret = [[\ncanary\n]]\nlocal x = 1', 'canary'],
  ['Lua field', 'config.db.password = "canary"', 'canary'],
  ['Lua field in brackets', 'ngx.ctx["auth_token"] = "canary"', 'canary'],
  ['Lua default', 'local p = os.getenv("DB_PASSWORD") or "canary"', 'canary'],
  ['Lua call', 'red:auth("canary")', 'canary'],
  ['Lua call over lines', 'red:auth(\n  "canary"\n)', 'canary'],
  ['Lua variable of nginx', 'ngx.var.token = "canary"', 'canary'],
  ['Lua header', 'ngx.req.set_header("Authorization", "Bearer canary")', 'canary'],
  ['Lua user and password', 'ngx.encode_base64("canary:canary2")', 'canary2'],
  ['URL', 'proxy_pass http://canary:canary2@10.0.0.1:8080/x;', 'canary'],
  ['URL with a user only', 'proxy_pass http://canary@10.0.0.1/;', 'canary'],
  ['URL with signs', 'set $u "amqp://user:can@ry/x@host/vhost";', 'can@', 'ry/x'],
  ['URL of a database', 'postgres://u:canary@db/x', 'canary'],
  ['data source of Go', 'source u:canary@tcp(10.0.0.1:3306)/shop', 'canary'],
  ['DSN', 'SENTRY_DSN=https://canary@sentry.example/1', 'canary'],
  ['connection string', 'connection_string = "Server=x;Uid=canary"', 'canary'],
  ['JWT', 'set $j eyJhbGciOi.eyJzdWIi.c2lnbmF0;', 'eyJ', 'c2lnbm'],
  ['AWS key', 'set $a AKIAIOSFODNN7EXAMPLE;', 'AKIA'],
  ['AWS temporary key', 'set $a ASIAIOSFODNN7EXAMPLE;', 'ASIA'],
  ['AWS secret', 'set $a wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY;', 'wJalr', 'MDENG'],
  ['GitHub', 'set $a ghp_canarycanarycanary;', 'canary'],
  ['GitLab', 'set $a glpat-canarycanary;', 'canary'],
  ['Slack', 'set $a xoxb-canary-canary;', 'canary'],
  ['Slack address', 'set $a https://hooks.slack.com/services/T0/B0/canary;', 'canary'],
  ['Stripe', 'set $a sk_live_canarycanary;', 'canary'],
  ['Google', 'set $a AIzacanarycanary;', 'canary'],
  ['SendGrid', 'set $a SG.canary.canary;', 'canary'],
  ['npm', 'set $a npm_canarycanary;', 'canary'],
  ['Vault', 'set $a hvs.canarycanary;', 'canary'],
  ['OpenAI', 'set $a sk-proj-canarycanary;', 'canary'],
  ['Telegram', 'set $a 123456789:canary_canary_canary_canary;', 'canary'],
  ['our own', `set $a qd_t_${'canary'.repeat(8)};`, 'canary'],
  ['hexadecimal', 'set $a 5f4dcc3b5aa765d61d8327deb882cf99;', '5f4dcc', 'cf99'],
  ['UUID', 'set $a 123e4567-e89b-12d3-a456-426614174000;', '4567', '4000'],
  ['random letters and digits', 'set $a k3j4h5k3j4h5k3j4h5;', 'k3j4'],
  ['random mixed case', 'set $a kJhGfDsAqWeRtYuIoPaS;', 'kJhG'],
  ['base64', 'set $a Q2FuYXJ5Q2FuYXJ5MTIz+/==;', 'Q2Fu', 'MTIz'],
  ['random part of a path', 'root /srv/some-quite-long-name/aB3dE5gH7jK9mN1p/x;', 'aB3d'],
  ['command line', 'curl -u admin:canary https://example.org/', 'canary'],
  ['command line of MySQL', 'mysql -pcanary shop', 'canary'],
  ['web hook', 'webhook https://example.org/canary', 'canary'],
  ['variable whose name says nothing', 'set $x canary;', 'canary'],
  ['the same with digits', 'set $x canary2;', 'canary'],
  ['the same in quotes', 'set $x "canary; $uri";', 'canary'],
  ['the same with an escaped quotation mark', "set $x 'a\\'; canary';", 'canary'],
  ['the same behind others', 'if ($a) { set $y 1; set $x canary; }', 'canary'],
  ['the same behind a variable', 'set $x $uri-canary;', 'canary'],
  ['the same in a comment', '#set $x canary;', 'canary'],
  ['the same in a comment without its end', '# set $x canary', 'canary'],
  ['the same with a secret word in it', 'set $x canary-token;', 'canary'],
  ['the same in the next line', 'set $x\n    canary;', 'canary'],
  ['the same two lines later', 'set\n  $x\n  canary;', 'canary'],
  ['the same over lines', 'set $x "a;\n  canary\n  b";', 'canary'],
  ['the same as a number of many digits', 'set $x 73649172;', '7364'],
  ['the same with an odd end', 'set $x "a"canary;', 'canary'],
  ['the same in a query', 'set $x https://example.org/?a=canary;', 'canary'],
  ['the same with a user', 'set $x https://canary@example.org/;', 'canary'],
  ['parameter whose name says nothing', 'fastcgi_param X canary;', 'canary'],
  ['parameter that may be empty', 'fastcgi_param X canary if_not_empty;', 'canary'],
  ['header whose name says nothing', 'proxy_set_header X-Gateway canary;', 'canary'],
  ['header in the next line whose name says nothing', 'proxy_set_header\n  X-Gateway\n  canary;', 'canary'],
  ['environment whose name says nothing', 'env X=canary;', 'canary'],
];

/** Lua with secrets, as above. */
const LUA_SECRETS: readonly (readonly [name: string, text: string, ...secrets: string[]])[] = [
  ['assigned string', "local x = 'canary'", 'canary'],
  ['joined string', 'local x = y .. "canary"', 'canary'],
  ['default', 'local x = y or "canary"', 'canary'],
  ['comparison', 'if ngx.var.arg_x ~= "canary" then', 'canary'],
  ['returned string', 'return "canary"', 'canary'],
  ['long string', 'local x = [[canary]]', 'canary'],
  ['long string over lines', 'local x = [==[\ncanary\n]==]\nlocal y = 1', 'canary'],
  ['field of a table', 'local t = { a = 1, b = "canary" }', 'canary'],
];

describe('masking', () => {
  it.each(SECRETS)('hides: %s', (_name, text, ...secrets) => {
    for (const isLua of [false, true]) {
      for (const written of [text, text.replaceAll('\n', '\n    '), `server {\n${text}\n}`]) {
        const masked = mask(written, isLua);
        for (const secret of secrets) expect(masked ?? '').not.toContain(secret);
        if (written === text) expect(masked).toContain('[masked]');
      }
    }
  });

  it.each(LUA_SECRETS)('hides in Lua: %s', (_name, text, ...secrets) => {
    for (const written of [text, `content_by_lua_block {\n${text}\n}`]) {
      const masked = mask(written, written === text);
      for (const secret of secrets) expect(masked).not.toContain(secret);
      expect(masked).toContain('[masked]');
    }
  });

  it.each([
    'set $x "";',
    'set $x 0;',
    'set $limit 10m;',
    'set $maintenance on;',
    'set $pool blue;',
    'set $a $uri;',
    'set $a "$scheme://$host:$server_port$request_uri";',
    'set $root /srv/www/shop;',
    'set $fallback /index.php?$args;',
    'set $backend http://10.0.0.1:8080/shop/$1;',
    'set $backend shop.internal:8080;',
    'set $backend shop-1.eu.example.org;',
    'set $php unix:/run/php/php8.2-fpm.sock;',
    'fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;',
    'fastcgi_param GATEWAY_INTERFACE CGI/1.1;',
    'fastcgi_param HTTPS $https if_not_empty;',
    'proxy_set_header Connection "upgrade";',
    'proxy_set_header X-Forwarded-Proto https;',
    'proxy_set_header Host $host:$server_port;',
    'env TZ;',
    'if ($a) { set $b 1; }',
    'local cjson = require "cjson"',
    'ngx.header.content_type = "application/json; charset=utf-8"',
    'if ngx.req.get_method() == "POST" and type(x) == "table" then',
    'local path = "/srv/www" .. ngx.var.uri',
    '# the set of servers',
  ])('leaves readable: %s', (text) => {
    // Lines of nginx end with a semicolon.
    expect(mask(text, !text.endsWith(';'))).toBe(text);
  });

  it('goes on behind an assignment over lines', () => {
    expect(mask('set $x\n  canary;\nlisten 80;')).toBe('set $x [masked]\n[masked]\nlisten 80;');
    expect(mask('# set $x canary\nlisten 80;')).toBe('# set $x [masked]\nlisten 80;');
  });

  it('hides strings of Lua that look like passwords', () => {
    expect(mask('local a = "hunter2"', true)).toBe('local a = [masked]');
    expect(mask("connect('correct!horse')", true)).toBe('connect([masked])');
    expect(mask('content_by_lua_block {\n  local a = "hunter2"\n}\nreturn 200 "hunter2";')).toBe(
      'content_by_lua_block {\n  local a = [masked]\n}\nreturn 200 "hunter2";',
    );
    expect(mask('local redis = require "resty.redis"', true)).toBe('local redis = require "resty.redis"');
  });

  it('leaves the rest of a configuration readable', () => {
    const text = readFileSync(new URL('nginx.example.conf', import.meta.url), 'utf8');
    const masked = mask(text)?.split('\n') ?? [];
    const hidden = text.split('\n').flatMap((line, at) => (masked[at] === line ? [] : [line.trim()]));
    expect(hidden).toEqual(['proxy_set_header Authorization "Basic Y2FuYXJ5";', 'auth_basic "Staff only";']);
  });

  it('keeps each line a line, whatever it contains', () => {
    for (const [, text] of SECRETS) expect(maskLines(text.split('\n'), false)).toHaveLength(text.split('\n').length);
  });

  it.each([
    ['the end of a key without its beginning', 'abc\n-----END PRIVATE KEY-----'],
    ['the beginning of a key without its end', '-----BEGIN PRIVATE KEY-----\nabc'],
    ['a key in another form', 'PRIVATE KEY: abc'],
    ['a key of PuTTY', 'PuTTY-User-Key-File-2: ssh-rsa'],
    ['an open quotation mark', 'password = "abc'],
    ['an open bracket', 'secrets = {\n a = 1'],
    ['a control character', 'listen 80;\u0007'],
    ['a text that turns its direction', 'listen 80;\u202e'],
    ['a very long line', 'x'.repeat(2_001)],
  ])('tells nothing of a file with %s', (_name, text) => {
    expect(mask(text)).toBeUndefined();
    expect(
      maskedDiff('/etc/nginx/a.conf', Buffer.from('listen 80;\n'), Buffer.from(`listen 81;\n${text}`)),
    ).toBeUndefined();
  });
});

describe('the difference of two contents', () => {
  const diff = (before: string, after: string, path = '/etc/nginx/nginx.conf') =>
    maskedDiff(path, Buffer.from(before), Buffer.from(after));

  it('has the changed lines with their neighbours', () => {
    const lines = Array.from({ length: 20 }, (_, n) => `line ${n + 1};`);
    const after = lines.with(9, 'other;').join('\n');
    expect(diff(lines.join('\n'), after)).toBe(
      ['@@ -8,5 +8,5 @@', ' line 8;', ' line 9;', '-line 10;', '+other;', ' line 11;', ' line 12;'].join('\n'),
    );
    expect(diff('', 'a\nb\n')).toBe('@@ -1,0 +1,2 @@\n+a\n+b');
    expect(diff('a\n', '')).toBe('@@ -1,1 +1,0 @@\n-a');
    expect(diff('a\r\nb\r\n', 'a\r\nc\r\n')).toBe('@@ -1,2 +1,2 @@\n a\n-b\n+c');
  });

  it('shows that a secret changed, and not the secret', () => {
    expect(diff('user x;\npassword = canary1\n', 'user x;\npassword = canary2\n')).toBe(
      '@@ -1,2 +1,2 @@\n user x;\n-password [masked]\n+password [masked]',
    );
  });

  it('hides lines whose secret begins above the change, or before the statement was taken apart', () => {
    const [before, after] = [`a;\n${PEM}\nb;`, `a;\n${PEM.replace('abc', 'abd')}\nb;`];
    expect(diff(before, after)).not.toMatch(/ab[cd]|MII/);
    const taken = diff('secrets = {\n  canary\n  x\n}\n', 'other;\n  canary\n');
    expect(taken).not.toContain('canary');
  });

  it('is cut at 64 KiB, between two lines', () => {
    const many = Array.from({ length: 3_000 }, (_, n) => `server_name ${n}.example.org.and.some.more.text;`).join('\n');
    const text = diff('', many) ?? '';
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text).toMatch(/text;\n… cut$/);
  });

  it('is missing where nothing differs, or the content is no text', () => {
    expect(diff('a', 'a')).toBeUndefined();
    expect(maskedDiff('/a', Buffer.from([0xff, 0xfe]), Buffer.from('a'))).toBeUndefined();
    expect(diff('a', 'a\0b')).toBeUndefined();
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
