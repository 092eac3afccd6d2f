// Lines as servers, the kernel and others write them, by group. Written for the test, in the formats of these programs.
/** A name, and lines that are one group. */
export type Group = readonly [name: string, ...lines: string[]];

const web = (client: string, request: string, rest = '') =>
  `, client: ${client}, server: shop.example.com, request: "${request} HTTP/1.1"${rest}, host: "shop.example.com"`;

export const NGINX: Group[] = [
  [
    'missing file',
    `open() "/var/www/favicon.ico" failed (2: No such file or directory)${web('192.0.2.1', 'GET /favicon.ico')}`,
    `open() "/var/www/wp-login.php" failed (2: No such file or directory)${web('2001:db8::9', 'GET /wp-login.php')}`,
    `open() "/var/www/a b/100%.png" failed (2: No such file or directory)${web('192.0.2.7', 'HEAD /a%20b/100%25.png')}`,
  ],
  [
    'file without permission',
    `open() "/var/www/x" failed (13: Permission denied)${web('192.0.2.1', 'GET /x')}`,
    `open() "/var/www/y/z" failed (13: Permission denied)${web('192.0.2.2', 'GET /y/z')}`,
  ],
  [
    'refused upstream',
    `connect() failed (111: Connection refused) while connecting to upstream${web('192.0.2.1', 'GET /', ', upstream: "http://10.0.0.1:8080/"')}`,
    `connect() failed (111: Connection refused) while connecting to upstream${web('192.0.2.2', 'POST /buy?id=3', ', upstream: "http://[2001:db8::1]:8080/buy?id=3"')}`,
  ],
  [
    'unreachable upstream',
    `connect() failed (113: No route to host) while connecting to upstream${web('192.0.2.1', 'GET /', ', upstream: "http://10.0.0.1:80/"')}`,
    `connect() failed (113: No route to host) while connecting to upstream${web('192.0.2.9', 'GET /b', ', upstream: "http://10.0.7.1:80/b"')}`,
  ],
  [
    'slow upstream, connecting',
    `upstream timed out (110: Connection timed out) while connecting to upstream${web('192.0.2.1', 'GET /a')}`,
    `upstream timed out (110: Connection timed out) while connecting to upstream${web('192.0.2.2', 'GET /b')}`,
  ],
  [
    'slow upstream, reading',
    `upstream timed out (110: Connection timed out) while reading response header from upstream${web('192.0.2.1', 'GET /a')}`,
    `upstream timed out (110: Connection timed out) while reading response header from upstream${web('192.0.2.2', 'GET /b')}`,
  ],
  [
    'closing upstream',
    `upstream prematurely closed connection while reading response header from upstream${web('192.0.2.1', 'GET /a')}`,
    `upstream prematurely closed connection while reading response header from upstream${web('198.51.100.3', 'PUT /z')}`,
  ],
  [
    'no upstream',
    `no live upstreams while connecting to upstream${web('192.0.2.1', 'GET /a', ', upstream: "http://backend/a"')}`,
    `no live upstreams while connecting to upstream${web('192.0.2.4', 'GET /c', ', upstream: "http://backend/c"')}`,
  ],
  [
    'large body',
    `client intended to send too large body: 10485761 bytes${web('192.0.2.1', 'POST /up')}`,
    `client intended to send too large body: 2097153 bytes${web('192.0.2.3', 'PUT /up/2')}`,
  ],
  [
    'rate limit',
    `limiting requests, excess: 20.320 by zone "one"${web('192.0.2.1', 'GET /a')}`,
    `limiting requests, excess: 5.004 by zone "one"${web('192.0.2.2', 'GET /b')}`,
  ],
  [
    'connection limit',
    `limiting connections by zone "addr"${web('192.0.2.1', 'GET /a')}`,
    `limiting connections by zone "addr"${web('192.0.2.2', 'GET /b')}`,
  ],
  [
    'wrong password',
    `user "ann": password mismatch${web('192.0.2.1', 'GET /a')}`,
    `user "bob": password mismatch${web('192.0.2.2', 'GET /a')}`,
  ],
  [
    'unknown user',
    `user "x1" was not found in "/etc/nginx/htpasswd"${web('192.0.2.1', 'GET /a')}`,
    `user "root" was not found in "/etc/nginx/htpasswd"${web('192.0.2.2', 'GET /b')}`,
  ],
  [
    'listing',
    `directory index of "/var/www/img/" is forbidden${web('192.0.2.1', 'GET /img/')}`,
    `directory index of "/var/www/css/" is forbidden${web('192.0.2.2', 'GET /css/')}`,
  ],
  [
    'cycle',
    `rewrite or internal redirection cycle while internally redirecting to "/index.html"${web('192.0.2.1', 'GET /a')}`,
    `rewrite or internal redirection cycle while internally redirecting to "/app/index.html"${web('192.0.2.2', 'GET /b')}`,
  ],
  [
    'no cipher',
    'SSL_do_handshake() failed (SSL: error:0A0000C1:SSL routines::no shared cipher) while SSL handshaking, client: 192.0.2.1, server: 0.0.0.0:443',
    'SSL_do_handshake() failed (SSL: error:0A0000C1:SSL routines::no shared cipher) while SSL handshaking, client: 203.0.113.77, server: 0.0.0.0:443',
  ],
  [
    'old protocol',
    'SSL_do_handshake() failed (SSL: error:0A000102:SSL routines::unsupported protocol) while SSL handshaking, client: 192.0.2.1, server: 0.0.0.0:443',
    'SSL_do_handshake() failed (SSL: error:0A000102:SSL routines::unsupported protocol) while SSL handshaking, client: 192.0.2.8, server: 0.0.0.0:443',
  ],
  ['connections', '1024 worker_connections are not enough', '4096 worker_connections are not enough'],
  ['killed worker', 'worker process 4711 exited on signal 9', 'worker process 12 exited on signal 9'],
  [
    'crashed worker',
    'worker process 4711 exited on signal 11 (core dumped)',
    'worker process 9 exited on signal 11 (core dumped)',
  ],
  ['another site', 'open() "/srv/b/x" failed (2: No such file or directory), client: 192.0.2.1, server: b.example.com'],
  [
    'PHP warning',
    `FastCGI sent in stderr: "PHP message: PHP Warning:  Undefined variable $cart in /srv/shop/cart.php on line 17" while reading response header from upstream${web('192.0.2.1', 'GET /cart')}`,
    `FastCGI sent in stderr: "PHP message: PHP Warning:  Undefined variable $cart in /srv/shop/cart.php on line 21" while reading response header from upstream${web('192.0.2.5', 'GET /cart?x=1')}`,
  ],
  [
    'PHP deprecation',
    `FastCGI sent in stderr: "PHP message: PHP Deprecated:  strlen(): Passing null to parameter #1 ($string) of type string is deprecated in /srv/shop/name.php on line 3" while reading response header from upstream${web('192.0.2.1', 'GET /n')}`,
    `FastCGI sent in stderr: "PHP message: PHP Deprecated:  strlen(): Passing null to parameter #1 ($string) of type string is deprecated in /srv/shop/name.php on line 8" while reading response header from upstream${web('192.0.2.2', 'GET /m')}`,
  ],
];

const lua = (at: string, message: string, frames: string, context: string) =>
  `lua entry thread aborted: runtime error: ${at}: ${message}\nstack traceback:\ncoroutine 0:\n${frames}${context}`;

export const OPENRESTY: Group[] = [
  [
    'nil field in an access check',
    lua(
      '/app/auth.lua:12',
      "attempt to index field 'user' (a nil value)",
      "\t/app/auth.lua:12: in function 'check'\n\taccess_by_lua(nginx.conf:60):2: in main chunk",
      web('192.0.2.1', 'GET /a'),
    ),
    lua(
      '/app/auth.lua:14',
      "attempt to index field 'session' (a nil value)",
      "\t/app/auth.lua:14: in function 'check'\n\taccess_by_lua(nginx.conf:61):2: in main chunk",
      web('192.0.2.2', 'GET /b'),
    ),
  ],
  [
    'the same error elsewhere',
    lua(
      '/app/auth.lua:40',
      "attempt to index field 'user' (a nil value)",
      "\t/app/auth.lua:40: in function 'refresh'\n\taccess_by_lua(nginx.conf:60):2: in main chunk",
      web('192.0.2.1', 'GET /a'),
    ),
    lua(
      '/app/auth.lua:44',
      "attempt to index field 'user' (a nil value)",
      "\t/app/auth.lua:44: in function 'refresh'\n\taccess_by_lua(nginx.conf:60):2: in main chunk",
      web('192.0.2.3', 'GET /a'),
    ),
  ],
  [
    'error of a library',
    lua(
      '/usr/local/share/lua/5.1/resty/redis.lua:90',
      'bad argument #1',
      "\t[C]: in function 'connect'\n\t/usr/local/share/lua/5.1/resty/redis.lua:90: in function 'connect'\n\t/app/cache.lua:7: in function 'open'",
      web('192.0.2.1', 'GET /a'),
    ),
    lua(
      '/usr/local/share/lua/5.1/resty/redis.lua:92',
      'bad argument #2',
      "\t[C]: in function 'connect'\n\t/usr/local/share/lua/5.1/resty/redis.lua:92: in function 'connect'\n\t/app/cache.lua:9: in function 'open'",
      web('192.0.2.9', 'GET /b'),
    ),
  ],
  [
    'log of Lua',
    `[lua] auth.lua:12: check(): token 5f2a77 of user 17 has expired${web('192.0.2.1', 'GET /a')}`,
    `[lua] auth.lua:15: check(): token 99 of user 4 has expired${web('192.0.2.2', 'GET /b')}`,
  ],
  [
    'refused socket',
    'connect() failed (111: Connection refused), context: ngx.timer',
    'connect() failed (111: Connection refused), context: ngx.timer',
  ],
  [
    'socket that times out',
    `lua tcp socket read timed out${web('192.0.2.1', 'GET /a')}`,
    `lua tcp socket read timed out${web('192.0.2.2', 'GET /b')}`,
  ],
  [
    'unreachable redis',
    `[lua] cache.lua:8: failed to connect to redis at 10.0.0.5:6379: timeout${web('192.0.2.1', 'GET /a')}`,
    `[lua] cache.lua:8: failed to connect to redis at 10.0.0.6:6379: timeout${web('192.0.2.2', 'GET /b')}`,
  ],
];

const oops = (stamp: string, address: string, comm: string, top: string, offset: string) =>
  `[${stamp}] BUG: kernel NULL pointer dereference, address: ${address}\n[${stamp}] CPU: 3 PID: 1234 Comm: ${comm} Not tainted 6.1.0-13-amd64 #1\n[${stamp}] RIP: 0010:${top}+${offset}/0x5a0\n[${stamp}] Call Trace:\n[${stamp}]  <TASK>\n[${stamp}]  ? __die_body+0x1a/0x60\n[${stamp}]  ${top}+${offset}/0x5a0\n[${stamp}]  nf_hook_slow+0x3d/0xb0\n[${stamp}]  </TASK>\n[${stamp}] ---[ end trace 0000000000000000 ]---`;

export const KERNEL: Group[] = [
  [
    'oops in one function',
    oops('12345.678901', '0000000000000008', 'nginx', 'nf_conntrack_in', '0x1d'),
    oops('   99.000001', '0000000000000010', 'curl', 'nf_conntrack_in', '0x2f'),
  ],
  [
    'oops in another function',
    oops('12345.678901', '0000000000000008', 'nginx', 'tcp_v4_rcv', '0xb2'),
    oops('12999.678901', '0000000000000018', 'nginx', 'tcp_v4_rcv', '0xc2'),
  ],
  [
    'segfault',
    '[12345.678901] nginx[1234]: segfault at 7ffd12ab ip 000055d0c0ffee12 sp 00007ffd5 error 4 in nginx[55d0c0f00000+100000]',
    '[  99.5] nginx[77]: segfault at 8 ip 000055d0deadbe12 sp 00007ffd9 error 4 in nginx[55d0dea00000+100000]',
  ],
  [
    'segfault of another program',
    '[12345.678901] redis[1234]: segfault at 7ffd12ab ip 000055d0c0ffee12 sp 00007ffd5 error 4 in redis[55d0+1000]',
  ],
  [
    'memory',
    'Out of memory: Killed process 1234 (java) total-vm:8123456kB, anon-rss:4123456kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:9000kB oom_score_adj:0',
    'Out of memory: Killed process 77 (java) total-vm:9999kB, anon-rss:1kB, file-rss:12kB, shmem-rss:3kB, UID:0 pgtables:1kB oom_score_adj:0',
  ],
  [
    'hung task',
    'INFO: task jbd2/sda1-8:321 blocked for more than 120 seconds.',
    'INFO: task jbd2/sda1-8:400 blocked for more than 241 seconds.',
  ],
  [
    'disk',
    'blk_update_request: I/O error, dev sda, sector 12345678 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 0',
    'blk_update_request: I/O error, dev sda, sector 99 op 0x0:(READ) flags 0x0 phys_seg 4 prio class 2',
  ],
  [
    'file system',
    'EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm nginx: reading directory lblock 0',
    'EXT4-fs error (device sda2): ext4_find_entry:1460: inode #77: comm nginx: reading directory lblock 3',
  ],
  [
    'network',
    'e1000e 0000:00:1f.6 eth0: Detected Hardware Unit Hang:',
    'e1000e 0000:02:00.0 eth1: Detected Hardware Unit Hang:',
  ],
  [
    'flooding',
    'TCP: request_sock_TCP: Possible SYN flooding on port 443. Sending cookies.  Check SNMP counters.',
    'TCP: request_sock_TCP: Possible SYN flooding on port 80. Sending cookies.  Check SNMP counters.',
  ],
  [
    'conntrack',
    'nf_conntrack: nf_conntrack: table full, dropping packet',
    'nf_conntrack: nf_conntrack: table full, dropping packet',
  ],
  [
    'lockup',
    'watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [nginx:1234]',
    'watchdog: BUG: soft lockup - CPU#11 stuck for 45s! [nginx:99]',
  ],
  [
    'heat',
    'CPU3: Core temperature above threshold, cpu clock throttled (total events = 17)',
    'CPU0: Core temperature above threshold, cpu clock throttled (total events = 991)',
  ],
];

export const OTHERS: Group[] = [
  [
    'failed SSH password',
    'Failed password for root from 203.0.113.5 port 51234 ssh2',
    'Failed password for root from 203.0.113.77 port 22022 ssh2',
    'Failed password for ann_b from 2001:db8::7 port 22022 ssh2',
  ],
  [
    'unknown SSH user',
    'Invalid user admin from 203.0.113.5 port 51234',
    'Invalid user admin from 2001:db8::5 port 40000',
    'Invalid user test9 from 192.0.2.1 port 40000',
  ],
  [
    'unit',
    'shop.service: Main process exited, code=exited, status=1/FAILURE',
    'shop.service: Main process exited, code=exited, status=1/FAILURE',
  ],
  ['unit that was killed', 'shop.service: Main process exited, code=killed, status=9/KILL'],
  [
    'PostgreSQL, unique',
    '2026-11-20 10:00:00.123 UTC [77] ERROR:  duplicate key value violates unique constraint "orders_pkey"',
    '2026-11-21 10:00:00.999 UTC [9] ERROR:  duplicate key value violates unique constraint "users_pkey"',
  ],
  [
    'PostgreSQL, connections',
    '2026-11-20 10:00:00.123 UTC [77] FATAL:  sorry, too many clients already',
    '2026-11-20 11:00:00.123 UTC [12] FATAL:  sorry, too many clients already',
  ],
  [
    'MySQL',
    "2026-11-20T10:00:00.123456Z 17 [ERROR] [MY-010584] [Repl] Replica I/O for channel: Error reconnecting to source 'repl@10.0.0.1:3306' - retry-time: 60",
    "2026-11-20T12:00:00.123456Z 4 [ERROR] [MY-010584] [Repl] Replica I/O for channel: Error reconnecting to source 'repl@10.0.0.2:3306' - retry-time: 30",
  ],
  [
    'Redis',
    '1:M 20 Nov 2026 10:00:00.123 # Background saving error',
    '7:M 21 Nov 2026 11:11:11.001 # Background saving error',
  ],
  [
    'HAProxy',
    'Server app/web1 is DOWN, reason: Layer4 connection problem, info: "Connection refused", check duration: 0ms.',
    'Server app/web2 is DOWN, reason: Layer4 connection problem, info: "Connection refused", check duration: 12ms.',
  ],
  [
    'Apache',
    '[Fri Nov 20 10:00:00.123456 2026] [core:error] [pid 1234:tid 139] [client 192.0.2.1:51234] AH00126: Invalid URI in request GET /../x HTTP/1.1',
    '[Sat Nov 21 11:00:00.000001 2026] [core:error] [pid 9:tid 7] [client 192.0.2.9:40000] AH00126: Invalid URI in request GET /../x HTTP/1.1',
  ],
  [
    'kubelet',
    'E1120 10:00:00.123456    1234 pod_workers.go:1300] "Error syncing pod, skipping" err="failed to pull image" pod="shop/web-7d9c5b8f6d-x2x9z"',
    'E1121 11:11:11.000001       7 pod_workers.go:1294] "Error syncing pod, skipping" err="failed to pull image" pod="shop/web-5f6d8c9b7d-abcde"',
  ],
];
