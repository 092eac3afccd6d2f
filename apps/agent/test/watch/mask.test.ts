// Secrets of configuration files never leave the host. Each secret of the table has the word CANARY or a form of its
// own, and no part of it may be left.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { maskText } from '../../src/watch/config/mask.ts';
import { PEM } from './pem.ts';

const mask = (text: string, isLua = false): string => maskText(text, isLua);

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
  // Places that look harmless.
  ['segment of a path in hexadecimal', 'location /hook/5f4dcc3b5aa765d61d8327deb882cf99/ {', '5f4dcc', 'cf99'],
  ['segment of a path with dashes', 'location = /in/123e4567-e89b-12d3-a456-426614174000 {', '4567', '4266'],
  ['segment in an expression', 'location ~ ^/hook/(?:a8f5f167f44f4964)$ {', 'a8f5', '4964'],
  ['segment behind a named location', 'try_files $uri /x7Kp9QzR2mW4;', 'x7Kp', 'mW4'],
  ['segment without vowels', 'location /xkqzvbnmwp {', 'xkqz'],
  ['segment of capitals', 'location /ABCD-EFGH-IJKL-MNOP {', 'ABCD', 'MNOP'],
  ['segment with letters and digits', 'root /srv/s3cr3tp4th/www;', 's3cr', 'p4th'],
  ['segments of pairs of digits', 'alias /srv/5f-4d-cc-3b-5a-a7/;', '5f-4d', '5a-a7'],
  ['name of a server in hexadecimal', 'server_name 5f4dcc3b5aa765d6.example.org;', '5f4dcc'],
  ['name of an upstream', 'upstream kJhGfDsAqWeR {', 'kJhG'],
  ['name of a zone', 'limit_req zone=Zq8xT4vK1nB burst=5;', 'Zq8x'],
  ['name of a variable', 'set $k3j4h5k3j4 $uri;', 'k3j4'],
  ['name of a format', "log_format x9Y8z7W6 '$uri';", 'x9Y8'],
  ['name of a header', 'add_header X-5f4dcc3b $uri;', '5f4dcc'],
  ['key and password of an address', 'proxy_pass http://user:hunter@backend/x?key=swordfish;', 'hunter', 'swordfish'],
  ['query of an address', 'proxy_pass http://backend/x?swordfish;', 'swordfish'],
  ['user of an address', 'proxy_pass http://swordfish@backend;', 'swordfish'],
  ['token in an address', 'proxy_pass https://api.telegram.org/bot123456789:AAEhBOweik6ad/send;', '123456789', 'AAEh'],
  ['hook in an address', 'proxy_pass https://hooks.slack.com/services/T00000000/B0000/XyZ12;', 'T0000', 'XyZ'],
  ['host in an address', 'proxy_pass https://a1b2c3d4e5f60718.ngrok.example;', 'a1b2', '0718'],
  ['user and password without a scheme', 'memcached_pass swordfish:hunter;', 'swordfish', 'hunter'],
  ['source with a user', 'auth_basic_user_file data:swordfish;', 'swordfish'],
  ['key of an engine', 'ssl_certificate_key engine:pkcs11:swordfish;', 'swordfish'],
  ['key with a PIN', 'ssl_certificate_key "store:pkcs11:token=x;pin-value=4711";', '4711'],
  ['file of passwords', 'Sommer2024!\nswordfish\ncorrect horse battery\n', 'Sommer', 'swordfish', 'horse'],
  ['parameter of an unknown name', 'server 10.0.0.1:80 token=swordfish;', 'swordfish'],
  ['statement without its end', 'user x password swordfish\nlisten 80;', 'swordfish'],
  ['value behind a missing end', 'listen 80\nset $x swordfish;', 'swordfish'],
  ['directive of another program', 'user alice on >swordfish', 'swordfish'],
  ['directive that is not known', 'js_var swordfish hunter;', 'swordfish', 'hunter'],
  ['word in capitals in a header', 'proxy_set_header X-Id SWORDFISH;', 'SWORDFISH'],
  // Secrets that look harmless.
  ['number', 'set $x 73649;', '7364'],
  ['number of a header', 'proxy_set_header X-Pin 4711;', '4711'],
  ['number of a parameter', 'fastcgi_param PIN 471147;', '4711'],
  ['number of a map', 'map $uri $x { default 0; 471147 1; /a 815815; }', '4711', '8158'],
  ['address in hexadecimal', 'set $x 2001:db8:85a3:8d3:1319:8a2e:370:7348;', '85a3', '7348'],
  ['address of four numbers', 'add_header X-Code 12.34.56.78;', '12.34'],
  ['size', 'set $x 471147m;', '4711'],
  ['path in a variable', 'set $x /K7MDENG/bPxRfiCYEXAMPLE;', 'K7MD'],
  ['path of words in a variable', 'set $x /swordfish/hunter;', 'swordfish'],
  ['word of a directive', 'set $x upstream;', 'upstream'],
  ['value of geo', 'geo $x { default ""; 10.0.0.0/8 swordfish; }', 'swordfish'],
  ['key of geo', 'geo $x { swordfish 1; }', 'swordfish'],
  ['value of split_clients', 'split_clients $uri $x { 50% swordfish; * ""; }', 'swordfish'],
  ['salt of split_clients', 'split_clients "$remote_addr-swordfish" $x { * ""; }', 'swordfish'],
  ['block of BIND', 'zone "a" {\n  user swordfish;\n};', 'swordfish'],
  ['entry of types', 'types { swordfish hunter; }', 'swordfish', 'hunter'],
  ['entry of a fragment of a map', '"swordfish" 1;\nhunter 1;', 'swordfish', 'hunter'],
  ['block that is not known', 'foo {\n  listen swordfish;\n}', 'swordfish'],
  ['block in a map', 'map $a $b {\n  x {\n listen swordfish;\n }\n}', 'swordfish'],
  // Places of free text.
  ['cookie', 'add_header Set-Cookie "sid=swordfish; Path=/; HttpOnly";', 'swordfish', 'sid'],
  ['condition on a cookie', 'if ($cookie_admin = swordfish) { return 200; }', 'swordfish'],
  ['expression of a condition', 'if ($arg_k ~* "^(swordfish|hunter)$") { return 200; }', 'swordfish', 'hunter'],
  ['answer', 'return 200 "swordfish";', 'swordfish'],
  ['redirect', 'return 302 https://example.org/swordfish;', 'swordfish'],
  ['rewrite', 'rewrite ^/swordfish$ /hunter?k=1 last;', 'swordfish', 'hunter'],
  ['format of a log', "log_format main '$uri swordfish';", 'swordfish'],
  ['key of a cache', 'proxy_cache_key "$uri-swordfish";', 'swordfish'],
  ['replaced text', "sub_filter '</head>' '<script>k=\"swordfish\"</script></head>';", 'swordfish'],
  ['body', 'proxy_set_body \'{"password":"swordfish"}\';', 'swordfish'],
  ['hash of a link', 'secure_link_md5 "$secure_link_expires$uri swordfish";', 'swordfish'],
  ['realm', 'auth_basic "swordfish";', 'swordfish'],
  ['Lua in quotes', 'content_by_lua \'ngx.say("swordfish")\n  local x = 1\';', 'swordfish'],
  ['comment behind a statement', 'listen 80; # swordfish', 'swordfish'],
  ['comment with a statement', '# listen 80; user swordfish;', 'swordfish'],
  ['comment in a statement', 'server_name a # swordfish\n  b;', 'swordfish'],
  ['quotes over lines', 'set $x "a\n  swordfish\n";', 'swordfish'],
  ['open quotation mark', "set $x 'a;\nlisten 80;\nuser swordfish;", 'swordfish'],
  ['quotation mark within a word', 'listen "80"swordfish;', 'swordfish'],
  ['escaped blank', 'listen 80\\ swordfish;', 'swordfish'],
  ['escaped quotation mark', "set $x 'a\\'; user swordfish';", 'swordfish'],
  ['braces in Lua', 'access_by_lua_block {\n  local t = { "}" } -- }\n  user("swordfish");\n}', 'swordfish'],
  ['long brackets in Lua', 'access_by_lua_block {\n  local t = [=[ } ]] user swordfish; ]=]\n}', 'swordfish'],
  ['control character', 'listen 80\u0007swordfish;', 'swordfish'],
  ['character of no width', 'user sword\u200bfish;', 'fish'],
  ['very long word', `location /${'sword/'.repeat(60)} {`, 'sword'],
  // Other programs.
  ['Docker', 'services:\n  db:\n    environment:\n      - POSTGRES_PASSWORD=swordfish', 'swordfish'],
  ['HAProxy', 'listen stats\n  stats auth admin:swordfish', 'swordfish'],
  ['INI', '[db]\nuser = postgres\npassword = swordfish', 'swordfish'],
  ['netrc', 'machine example.org login user password swordfish', 'swordfish'],
  ['authorized key', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 swordfish', 'AAAAC3', 'swordfish'],
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
  it.each(nonEmpty(SECRETS))('hides: %s', (_name, text, ...secrets) => {
    for (const isLua of [false, true]) {
      for (const written of [text, text.replaceAll('\n', '\n    '), `server {\n${text}\n}`]) {
        const masked = mask(written, isLua);
        for (const secret of secrets) expect(masked).not.toContain(secret);
        if (written === text) expect(masked).toMatch(/\.\.\.\(\d+ characters?\)/);
      }
    }
  });

  it.each(nonEmpty(LUA_SECRETS))('hides in Lua: %s', (_name, text, ...secrets) => {
    for (const written of [text, `content_by_lua_block {\n${text}\n}`]) {
      const masked = mask(written, written === text);
      for (const secret of secrets) expect(masked).not.toContain(secret);
      expect(masked).toMatch(/\.\.\.\(\d+ characters?\)/);
    }
  });

  it.each([
    'worker_connections 4096;',
    'proxy_pass http://shop;',
    'proxy_pass http://10.0.0.1:8080/shop/;',
    'proxy_pass http://unix:/run/shop.sock:/;',
    'proxy_pass https://$backend$request_uri;',
    'server shop-1.eu.example.org:8443 weight=2 max_fails=3 fail_timeout=30s backup;',
    'listen 443 ssl default_server reuseport;',
    'listen [::]:443 ssl;',
    'listen 127.0.0.1:8080;',
    'listen unix:/run/nginx.sock;',
    'include /etc/nginx/sites-enabled/*.conf;',
    'keepalive_timeout 1m30s;',
    'proxy_read_timeout 500ms;',
    'client_max_body_size 20m;',
    'limit_req zone=perip burst=20 nodelay;',
    'location ~ ^/api/v2/(?:users|orders)/ {',
    'fastcgi_pass unix:/run/php/php8.2-fpm.sock;',
    'try_files $uri $uri/ /index.php?$args;',
    'set $x "";',
    'set $limit 10m;',
    'set $maintenance on;',
    'set $a "$scheme://$host:$server_port$request_uri";',
    'fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;',
    'fastcgi_param HTTPS $https if_not_empty;',
    'proxy_set_header Connection "upgrade";',
    'proxy_set_header Host $host:$server_port;',
    'env TZ;',
    'if ($request_method = POST) { return 405; }',
    "map $http_upgrade $connection_upgrade { default upgrade; '' close; }",
    'geo $limit { default 1; 10.0.0.0/8 0; 2001:db8::/32 0; }',
  ])('leaves readable: %s', (text) => {
    expect(mask(text)).toBe(text);
  });

  it('tells how many characters it hides, word by word or as one', () => {
    expect(mask('set $x swordfish;')).toBe('set $x ...(9 characters);');
    expect(mask('set $x "é";')).toBe('set $x "...(1 character)";');
    expect(mask('foo bar  baz;\n# a comment\n')).toBe('...(12 characters);\n# ...(9 characters)\n');
    expect(mask('local a = 1\n\n  return a\n', true)).toBe('...(11 characters)\n\n  ...(8 characters)\n');
  });

  it('goes on behind an end that is missing', () => {
    expect(mask('set $x\n  canary;\nlisten 80;')).toBe('...(6 characters)\n  ...(6 characters);\nlisten 80;');
  });

  it('leaves the rest of a configuration readable', () => {
    const text = readFileSync(new URL('nginx.example.conf', import.meta.url), 'utf8');
    const masked = mask(text).split('\n');
    const hidden = text.split('\n').flatMap((line, at) => (masked[at] === line ? [] : [line.trim()]));
    expect(hidden).toEqual([
      'lua_package_path "/usr/local/openresty/lualib/?.lua;;";',
      'add_header Strict-Transport-Security "max-age=31536000; includeSubDomains" always;',
      'proxy_set_header Authorization "Basic Y2FuYXJ5";',
      'auth_basic "Staff only";',
      'return 301 https://www.example.org$request_uri;',
    ]);
  });

  it('keeps each line a line, whatever it contains', () => {
    for (const [, text] of SECRETS) expect(mask(text).split('\n')).toHaveLength(text.split('\n').length);
  });

  it('hides a text without an end, and ends', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab"\'\\{};#$ \n-[]='), maxLength: 60 }), (text) => {
        expect(mask(`${text}\nswordfish hunter`)).not.toMatch(/swordfish|hunter/);
      }),
    );
  });
});
