import { describe, expect, it } from 'vitest';
import { fingerprint, normalForm } from './fingerprint.ts';

describe('normalForm', () => {
  it.each([
    ['', ''],
    [' \n\t\n', ''],
    ['plain words stay', 'plain words stay'],
    ['  blanks\t are  \u0007 one ', 'blanks are one'],
    ['took 12 ms, 12.5ms, -3 and 1,234,567', 'took <num> ms, <num>, <num> and <num>'],
    ['worker12 on eth0, utf8', 'worker<num> on <str>, utf8'],
    ['at 0x7ffe12ab and deadbeef01', 'at <num> and <num>'],
    ['commit abcdef12', 'commit <num>'],
    ['token k3jX9dPqLm', 'token <num>'],
    ['id 550e8400-e29b-41d4-a716-446655440000 gone', 'id <id> gone'],
    ['req_550E8400-E29B-41D4-A716-446655440000', 'req_<id>'],
    ['peer 10.0.0.1 and 10.0.0.1:8080', 'peer <ip> and <ip>'],
    ['peer ::1, fe80::1, [2001:db8::1]:443', 'peer <ip>, <ip>, <ip>'],
    ['peer ::ffff:192.0.2.1 and 2001:db8:0:1:2:3:4:5', 'peer <ip> and <ip>'],
    ['mac 00:1a:2b:3c:4d:5e', 'mac <ip>'],
    ['peer fe80::1%eth0 and [fe80::1%eth0]:443', 'peer <ip> and <ip>'],
    ['mac 0011.2233.4455, aabb.ccdd.eeff, 00-1a-2b-3c-4d-5e', 'mac <ip>, <ip>, <ip>'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_x expired', 'token <id> expired'],
    ['pod web-7d4b9c6f5b-xkzrt and job-29384756-bcdfg died', 'pod web-<num> and job-<num> died'],
    ['key QxZrTyPlMnBvCdEw, AbstractSingletonProxyFactoryBean', 'key <num>, AbstractSingletonProxyFactoryBean'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV and 0ujtsYcgvSTl8PAuAdqWYSMnLOv', '<num> and <num>'],
    ['ORA-00942: x, ORA-01017: x, TNS-12541', 'ORA-00942: x, ORA-01017: x, TNS-12541'],
    ['AH00094: x, error TS2304: y, CWWKZ0001I: z', 'AH00094: x, error TS2304: y, CWWKZ0001I: z'],
    ['SQLSTATE 42P01, SQLSTATE[42S02], SQLSTATE: 08006', 'SQLSTATE 42P01, SQLSTATE[42S02], SQLSTATE: 08006'],
    ['HTTP 404 but HTTP 40412', 'HTTP 404 but HTTP <num>'],
    ['JOB-12345 of ORD12345', 'JOB-<num> of ORD<num>'],
    ['std::vector a::b', 'std::vector a::b'],
    ['mail to john.doe+x1@example.co.uk, please', 'mail to <mail>, please'],
    ['git@host no mail', 'git@host no mail'],
    ['Foo@1a2b3c4d', 'Foo@<num>'],
    [
      'GET https://api.example.com/v1/users/17?token=abc&x failed',
      'GET https://api.example.com/<num>/users/<num>? failed',
    ],
    ['really? yes', 'really? yes'],
    ['on 2026-11-20T10:43:33.123+01:00 it', 'on <num> it'],
    ['on 2026-11-20 10:43:33,123 it', 'on <num> <num> it'],
    ['on Fri, 20 Nov 2026 10:43:33 GMT it', 'on <num> <num> <num> GMT it'],
    ['on Fri Nov  5 10:43:33 2026 it', 'on <num> <num> <num> it'],
    ['[20/Nov/2026:10:43:33 +0000]', '[<num>/<num> <num>]'],
    ['May the force', 'May the force'],
    ['file "a b" and \'c d\' and `e`', 'file "<str>" and \'<str>\' and `<str>`'],
    ["can't read 'x' or users' y", "can't read '<str>' or users' y"],
    ['a "quote that never ends', 'a "quote that never ends'],
    ['(2: No such file or directory)', '(2: No such file or directory)'],
    ['(see 2: this)', '(see <num>: this)'],
    ['exited on signal 11', 'exited on signal 11'],
    ['status=502, code: 3', 'status=502, code: 3'],
    ['status 50212', 'status <num>'],
    ['blk_-17 and x=-17', 'blk_<num> and x=<num>'],
    ['A12 in R7 of t761, but CPU3', '<num> in <num> of <num>, but CPU<num>'],
    ['mask ffffffff, aa90550, added', 'mask <num>, <num>, added'],
    ['attempt_17_0020_m_000003_0 of root3_domain', 'attempt_<num> of root<num>_domain'],
    ['Package_for_KB17_RTM~31bf3856ad364e35~amd64~~6.1.1.0 or access_by_v2', 'Package_<num> or access_by_<num>'],
    ['to cache.example.com:6379, example.com:80', 'to <ip>, <ip>'],
    ['main.app.io:12:5 main.io:12 a.b.go:12 app2.io', 'main.app.io:<num> main.io:<num> a.b.go:<num> app<num>.io'],
    [
      'https://a.example.com:8443/x and a.example.com:8443/x',
      'https://a.example.com:<num>/x and a.example.com:<num>/x',
    ],
    [
      'free 5.2 KB of 850.0 B, 1 second, 2 minutes, 12 ms, 5 bytes',
      'free <num> of <num>, <num>, <num>, <num> ms, <num> bytes',
    ],
    ['at 3:23:29 PM, 5 AMD', 'at <num>, <num> AMD'],
    ['lifetime <1 sec, ~5 of >3, <14> stays', 'lifetime <num>, <num> of <num>, <<num>> stays'],
    ['file /mnt/a/blk_5. From /x and (/y/z.conf): no', 'file <str>. From <str> and (<str>): no'],
    ['PATH=/usr/bin:/bin C:\\a\\b.dll a/b', 'PATH=<str> <str> a/b'],
    ['/a/b.c:12 /a.php(3) /a.php on line 5', '/a/b.c:<num> /a.php(<num>) /a.php on line <num>'],
    ['/orders?id=5 or page?id=5, null?true', '<str> or page?, null?true'],
    ['bind() to [::]:80 failed', 'bind() to <ip> failed'],
    ['from n1.a.example.com:80, a.example.com', 'from <ip>, a.example.com'],
    [
      'n1.a.example.com/x k8s.io log4j.b.c.io= com.x2.y.de',
      '<num>.a.example.com/x <num>.io <num>.b.c.io= com.<num>.y.de',
    ],
    ['connect from mail.example.com[192.0.2.1]', 'connect from <ip>[<ip>]'],
    ['for ns.example.com [192.0.2.1] failed', 'for <ip> [<ip>] failed'],
    ['from 192.0.2.1 (ns.example.com) at', 'from <ip> at'],
    ['from 192.0.2.1 () at', 'from <ip> at'],
    ['from 192.0.2.1 (refused)', 'from <ip> (refused)'],
    ['192.0.2.1,192.0.2.2 "GET /a HTTP/1.1" status: 200', '<ip> "GET <str>" status: <num>'],
    ['rhost=a.example.com  user=root', 'rhost=<str> user=<str>'],
    ['user= tty=ssh type=AVC', 'user= tty=ssh type=AVC'],
    ['Failed password for root from 192.0.2.1', 'Failed password for <str> from <ip>'],
    ['waiting for data from 192.0.2.1', 'waiting for data from <ip>'],
    ['invalid user x1 [preauth]', 'invalid user <str> [preauth]'],
    ['session opened for user ann by (uid=0)', 'session opened for user <str> by (uid=<num>)'],
    ['session closed for user ann', 'session closed for user <str>'],
    ['for user authentication failed, invalid user input', 'for user authentication failed, invalid user input'],
    ['to delete blk_1 blk_-2 blk_3', 'to delete blk_<num>'],
    ['nodes n-1, n-2, n-3 of 5 6', 'nodes n-<num> of <num> <num>'],
    ['at x (/assets/index-Bk_9a-Zx.js:1:2), user-settings.js', 'at x (/assets/index-<num>.js:<num>), user-settings.js'],
    ["undefined method `a b' for `c`", "undefined method `<str>' for `<str>`"],
    ['[id "949110"] [line "7"] by zone "api_1"', '[id "949110"] [line "<str>"] by zone "api_1"'],
    ['raw <num> and <ip> stay', 'raw <num> and <ip> stay'],
    ['one\n\n  two\nthree', 'one\ntwo'],
    ['level=error msg="dial 10.0.0.1:80: refused" user="bob"', 'level=error msg="dial <ip>: refused" user="<str>"'],
    [
      '{"level":"error","msg":"no \\"x\\" in 5 ms","user":"bob","n":5}',
      '{"level":"error","msg":"no \\"x\\" in <num> ms","user":"<str>","n":<num>}',
    ],
    ['app: { "message" : "a" , "id" : "b" }', 'app: { "message" : "a" , "id" : "<str>" }'],
  ])('of %j is %j', (text, form) => {
    expect(normalForm(text)).toBe(form);
  });
});

const context = (path: string, rest = '') =>
  `, client: 192.0.2.7, server: example.com, request: "GET ${path} HTTP/1.1", host: "example.com"${rest}`;

describe('fingerprint', () => {
  it('is a version and 22 characters of base64url', () => {
    expect(fingerprint('x')).toMatch(/^6[\w-]{22}$/);
  });

  it('groups names that nginx has cut', () => {
    const [first, second] = ['aaaaaaaa', 'bbbb'].map((name) => `open() "/var/www/${name}... (36: File name too long)`);
    expect(fingerprint(`${first}, client: 192.0.2.1`)).toBe(fingerprint(`${second}, client: 192.0.2.2`));
  });

  it.each([
    [
      'system errors of one call',
      `open() "/a" failed (2: No such file or directory)${context('/a')}`,
      `open() "/a" failed (13: Permission denied)${context('/a')}`,
    ],
    [
      'sites',
      'no live upstreams while connecting to upstream, client: 192.0.2.1, server: a.example.com, request: "GET /"',
      'no live upstreams while connecting to upstream, client: 192.0.2.1, server: b.example.com, request: "GET /"',
    ],
    ['exit codes', 'worker process 17 exited with code 0', 'worker process 17 exited with code 2'],
    ['messages in JSON', '{"level":"error","msg":"disk full"}', '{"level":"error","msg":"no route"}'],
    ['messages in key="value"', 'level=error msg="disk full"', 'level=error msg="no route"'],
    [
      'TLS errors',
      'SSL_do_handshake() failed (SSL: error:0A000418:SSL routines::tlsv1 alert unknown ca:SSL alert number 48)',
      'SSL_do_handshake() failed (SSL: error:0A000102:SSL routines::unsupported protocol)',
    ],
    ['hosts of an API', 'GET https://a.example.com/x failed', 'GET https://b.example.com/x failed'],
  ])('keeps %s apart', (_name, first, second) => {
    expect(fingerprint(first)).not.toBe(fingerprint(second));
  });
});
