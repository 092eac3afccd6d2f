// Lines as real programs write them, by group: all lines of one group have one fingerprint, and no two groups have the
// same. Written for this test, in the formats of these programs.
import { describe, expect, it } from 'vitest';
import { fingerprint, normalForm } from './fingerprint.ts';

type Group = readonly [name: string, ...lines: string[]];

const web = (client: string, request: string, rest = '') =>
  `, client: ${client}, server: shop.example.com, request: "${request} HTTP/1.1"${rest}, host: "shop.example.com"`;

const NGINX: Group[] = [
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

const OPENRESTY: Group[] = [
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

const NODE: Group[] = [
  [
    'undefined in one handler',
    "TypeError: Cannot read properties of undefined (reading 'id')\n    at getOrder (/app/src/order.js:10:5)\n    at Layer.handle [as handle_request] (/app/node_modules/express/lib/router/layer.js:95:5)",
    "TypeError: Cannot read properties of undefined (reading 'id')\n    at getOrder (/app/src/order.js:12:9)\n    at Layer.handle [as handle_request] (/app/node_modules/express/lib/router/layer.js:98:5)",
    "Unhandled error\nTypeError: Cannot read properties of undefined (reading 'name')\n    at getOrder (/app/src/order.js:12:9)\n    at next (/app/node_modules/express/lib/router/route.js:144:13)",
    "TypeError: Cannot read properties of undefined (reading 'id')\r\n    at getOrder (/app/src/order.js:1:5)\r\n    at node:internal/process/task_queues:95:5",
  ],
  [
    'undefined in another handler',
    "TypeError: Cannot read properties of undefined (reading 'id')\n    at getUser (/app/src/user.js:10:5)\n    at node:internal/process/task_queues:95:5",
    "TypeError: Cannot read properties of undefined (reading 'id')\n    at getUser (/app/src/user.js:11:5)\n    at async Promise.all (index 0)",
  ],
  [
    'null in the first handler',
    "TypeError: Cannot read properties of null (reading 'id')\n    at getOrder (/app/src/order.js:10:5)",
    "TypeError: Cannot read properties of null (reading 'id')\n    at getOrder (/app/src/order.js:99:1)",
  ],
  [
    'error that nobody caught',
    "/app/src/main.js:4\n    throw new Error('no config');\n    ^\n\nError: no config\n    at load (/app/src/main.js:4:11)\n    at Object.<anonymous> (/app/src/main.js:9:1)\n    at Module._compile (node:internal/modules/cjs/loader:1554:14)\n\nNode.js v24.4.0",
    "/app/src/main.js:6\n    throw new Error('no config');\n    ^\n\nError: no config\n    at load (/app/src/main.js:6:11)\n    at Object.<anonymous> (/app/src/main.js:12:1)\n    at Module._compile (node:internal/modules/cjs/loader:1529:14)\n\nNode.js v22.1.0",
  ],
  [
    'refused connection',
    'Error: connect ECONNREFUSED 10.0.0.1:5432\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16)',
    'Error: connect ECONNREFUSED 10.0.0.2:5432\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)',
  ],
  [
    'reset connection',
    'Error: read ECONNRESET\n    at TCP.onStreamRead (node:internal/stream_base_commons:216:20)',
    'Error: read ECONNRESET\n    at TCP.onStreamRead (node:internal/stream_base_commons:218:20)',
  ],
  [
    'coded error',
    'Error [ERR_HTTP_HEADERS_SENT]: Cannot set headers after they are sent to the client\n    at ServerResponse.setHeader (node:_http_outgoing:659:11)\n    at send (/app/src/send.js:3:7)',
    'Error [ERR_HTTP_HEADERS_SENT]: Cannot set headers after they are sent to the client\n    at ServerResponse.setHeader (node:_http_outgoing:671:11)\n    at send (/app/src/send.js:5:7)',
  ],
  [
    'module',
    'file:///app/dist/jobs.js:2\nError: job 17 failed\n    at run (file:///app/dist/jobs.js:2:9)\n    at async main (file:///app/dist/main.js:7:3)',
    'Error: job 4 failed\n    at run (file:///app/dist/jobs.js:9:9)\n    at async main (file:///app/dist/main.js:8:3)',
  ],
  [
    'line of a logger',
    '{"level":50,"time":1795173990123,"pid":17,"hostname":"web1","msg":"request failed","err":"timeout of 5000 ms"}',
    '{"level":50,"time":1795173990999,"pid":23,"hostname":"web2","msg":"request failed","err":"timeout of 3000 ms"}',
  ],
  [
    'another line of a logger',
    '{"level":50,"time":1795173990123,"pid":17,"hostname":"web1","msg":"request refused","err":"timeout of 5000 ms"}',
  ],
  [
    'warning',
    '(node:1234) MaxListenersExceededWarning: Possible EventEmitter memory leak detected. 11 close listeners added to [Socket].',
    '(node:77) MaxListenersExceededWarning: Possible EventEmitter memory leak detected. 21 close listeners added to [Socket].',
  ],
];

const JAVA: Group[] = [
  [
    'state',
    'java.lang.IllegalStateException: order 17 is closed\n\tat com.example.shop.Order.pay(Order.java:44)\n\tat com.example.shop.Till.run(Till.java:12)\n\tat java.base/java.lang.Thread.run(Thread.java:1583)',
    'java.lang.IllegalStateException: order 4 is closed\n\tat com.example.shop.Order.pay(Order.java:46)\n\tat com.example.shop.Till.run(Till.java:15)\n\tat java.base/java.lang.Thread.run(Thread.java:1570)',
    '2026-11-20 10:00:00.123 ERROR 7 --- [nio-8080-exec-3] c.e.shop.Till : payment failed\njava.lang.IllegalStateException: order 9 is closed\n\tat com.example.shop.Order.pay(Order.java:46)\n\tat com.example.shop.Till.run(Till.java:15)\n\tat java.base/java.lang.Thread.run(Thread.java:1570)',
  ],
  [
    'the same state elsewhere',
    'java.lang.IllegalStateException: order 17 is closed\n\tat com.example.shop.Order.cancel(Order.java:60)\n\tat com.example.shop.Till.run(Till.java:12)',
    'java.lang.IllegalStateException: order 5 is closed\n\tat com.example.shop.Order.cancel(Order.java:61)\n\tat com.example.shop.Till.run(Till.java:13)',
  ],
  [
    'cause',
    'java.lang.RuntimeException: cannot save\n\tat com.example.shop.Store.save(Store.java:30)\n\tat org.springframework.aop.Proxy.invoke(Proxy.java:9)\nCaused by: java.sql.SQLException: Connection 17 is closed\n\tat com.zaxxer.hikari.pool.ProxyConnection.check(ProxyConnection.java:480)\n\t... 12 more',
    'java.lang.RuntimeException: cannot save\n\tat com.example.shop.Store.save(Store.java:31)\n\tat org.springframework.aop.Proxy.invoke(Proxy.java:7)\nCaused by: java.sql.SQLException: Connection 3 is closed\n\tat com.zaxxer.hikari.pool.ProxyConnection.check(ProxyConnection.java:482)\n\t... 31 more',
  ],
  [
    'another cause',
    'java.lang.RuntimeException: cannot save\n\tat com.example.shop.Store.save(Store.java:30)\nCaused by: java.net.SocketTimeoutException: Read timed out\n\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:278)\n\t... 8 more',
    'java.lang.RuntimeException: cannot save\n\tat com.example.shop.Store.save(Store.java:33)\nCaused by: java.net.SocketTimeoutException: Read timed out\n\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:288)\n\t... 9 more',
  ],
  [
    'main thread',
    'Exception in thread "main" java.lang.NullPointerException: Cannot invoke "String.length()" because "<local1>" is null\n\tat com.example.Main.main(Main.java:5)',
    'Exception in thread "main" java.lang.NullPointerException: Cannot invoke "String.trim()" because "<local2>" is null\n\tat com.example.Main.main(Main.java:9)',
  ],
  [
    'memory',
    'java.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.util.Arrays.copyOf(Arrays.java:3537)\n\tat com.example.shop.Report.all(Report.java:7)',
    'java.lang.OutOfMemoryError: Java heap space\n\tat java.base/java.util.Arrays.copyOf(Arrays.java:3541)\n\tat com.example.shop.Report.all(Report.java:8)',
  ],
  [
    'lambda',
    'java.util.NoSuchElementException: No value present\n\tat java.base/java.util.Optional.get(Optional.java:143)\n\tat com.example.shop.Cart.lambda$total$0(Cart.java:20)',
    'java.util.NoSuchElementException: No value present\n\tat java.base/java.util.Optional.get(Optional.java:143)\n\tat com.example.shop.Cart.lambda$total$1(Cart.java:25)',
  ],
  [
    'line of Log4j',
    '2026-11-20 10:00:00,123 ERROR [pool-3-thread-7] com.example.Pool - lost connection to 10.0.0.1:9042 after 3000 ms',
    '2026-11-21 11:30:00,999 ERROR [pool-1-thread-2] com.example.Pool - lost connection to 10.0.0.9:9042 after 17 ms',
  ],
];

const PYTHON: Group[] = [
  [
    'key',
    'Traceback (most recent call last):\n  File "/app/shop/order.py", line 17, in total\n    return prices[item]\nKeyError: \'apple\'',
    'Traceback (most recent call last):\n  File "/app/shop/order.py", line 21, in total\n    return prices[item]\n           ~~~~~~^^^^^^\nKeyError: \'pear\'',
    'ERROR:shop:order 17 failed\nTraceback (most recent call last):\n  File "/app/shop/order.py", line 21, in total\n    return prices[item]\nKeyError: \'plum\'\n',
  ],
  [
    'key elsewhere',
    'Traceback (most recent call last):\n  File "/app/shop/stock.py", line 17, in count\n    return stock[item]\nKeyError: \'apple\'',
    'Traceback (most recent call last):\n  File "/app/shop/stock.py", line 18, in count\n    return stock[item]\nKeyError: \'kiwi\'',
  ],
  [
    'value in the first place',
    'Traceback (most recent call last):\n  File "/app/shop/order.py", line 17, in total\n    return int(text)\nValueError: invalid literal for int() with base 10: \'x\'',
    'Traceback (most recent call last):\n  File "/app/shop/order.py", line 30, in total\n    return int(text)\nValueError: invalid literal for int() with base 10: \'y z\'',
  ],
  [
    'timeout in a library',
    'Traceback (most recent call last):\n  File "/app/shop/pay.py", line 9, in pay\n    requests.get(url)\n  File "/usr/lib/python3/dist-packages/requests/api.py", line 73, in get\n    return request("get", url)\nrequests.exceptions.ReadTimeout: HTTPSConnectionPool(host=\'pay.example.com\', port=443): Read timed out. (read timeout=5)',
    'Traceback (most recent call last):\n  File "/app/shop/pay.py", line 12, in pay\n    requests.get(url)\n  File "/venv/lib/python3.12/site-packages/requests/api.py", line 76, in get\n    return request("get", url)\nrequests.exceptions.ReadTimeout: HTTPSConnectionPool(host=\'pay.example.com\', port=443): Read timed out. (read timeout=30)',
  ],
  [
    'error raised from another',
    'Traceback (most recent call last):\n  File "/app/a.py", line 3, in load\n    int("x")\nValueError: invalid literal\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File "/app/b.py", line 7, in start\n    load()\nRuntimeError: no settings',
    'Traceback (most recent call last):\n  File "/app/a.py", line 5, in load\n    int("x")\nValueError: invalid literal\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File "/app/b.py", line 8, in start\n    load()\nRuntimeError: no settings',
  ],
  [
    'line of Django',
    '[20/Nov/2026 10:00:00] ERROR [django.request:241] Internal Server Error: /orders/17/',
    '[21/Nov/2026 11:12:13] ERROR [django.request:241] Internal Server Error: /orders/4/',
  ],
  [
    'worker of gunicorn',
    '[2026-11-20 10:00:00 +0000] [17] [CRITICAL] WORKER TIMEOUT (pid:23)',
    '[2026-11-21 10:00:00 +0000] [1] [CRITICAL] WORKER TIMEOUT (pid:4711)',
  ],
  [
    'task of Celery',
    "Task shop.tasks.pay[550e8400-e29b-41d4-a716-446655440000] raised unexpected: ValueError('no card')",
    "Task shop.tasks.pay[6ba7b810-9dad-11d1-80b4-00c04fd430c8] raised unexpected: ValueError('no money')",
  ],
];

const GO: Group[] = [
  [
    'index in one function',
    'panic: runtime error: index out of range [5] with length 3\n\ngoroutine 17 [running]:\nmain.(*Shop).order(0xc000012345, {0x1, 0x2})\n\t/app/shop.go:10 +0x1d\nmain.main()\n\t/app/main.go:3 +0x25\nexit status 2',
    'panic: runtime error: index out of range [9] with length 9\n\ngoroutine 1 [running]:\nmain.(*Shop).order(0xc0000fffff, {0x7, 0x9})\n\t/app/shop.go:14 +0x3f\nmain.main()\n\t/app/main.go:5 +0x11\nexit status 2',
  ],
  [
    'index in another function',
    'panic: runtime error: index out of range [5] with length 3\n\ngoroutine 17 [running]:\nmain.(*Shop).stock(0xc000012345)\n\t/app/shop.go:30 +0x1d\nmain.main()\n\t/app/main.go:3 +0x25',
    'panic: runtime error: index out of range [1] with length 0\n\ngoroutine 5 [running]:\nmain.(*Shop).stock(0xc00009999)\n\t/app/shop.go:33 +0x5\nmain.main()\n\t/app/main.go:3 +0x25',
  ],
  [
    'nil',
    'panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x8 pc=0x4a1b2c]\n\ngoroutine 1 [running]:\nmain.load(...)\n\t/app/load.go:9\nmain.main()\n\t/app/main.go:3 +0x25',
    'panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x4a1fff]\n\ngoroutine 8 [running]:\nmain.load(...)\n\t/app/load.go:11\nmain.main()\n\t/app/main.go:4 +0x2a',
  ],
  [
    'handler',
    'http: panic serving 10.0.0.1:51234: no stock\ngoroutine 44 [running]:\nnet/http.(*conn).serve.func1()\n\t/usr/local/go/src/net/http/server.go:1947 +0xbe\npanic({0x6d2f40?, 0xc000012345?})\n\t/usr/local/go/src/runtime/panic.go:785 +0x132\nmain.buy({0x7f, 0x1}, 0xc0001)\n\t/app/buy.go:12 +0x45',
    'http: panic serving 10.0.0.9:40000: no stock\ngoroutine 7 [running]:\nnet/http.(*conn).serve.func1()\n\t/usr/local/go/src/net/http/server.go:1898 +0xbe\npanic({0x5d2f40?, 0xc000099999?})\n\t/usr/local/go/src/runtime/panic.go:770 +0x132\nmain.buy({0x8f, 0x2}, 0xc0002)\n\t/app/buy.go:19 +0x45',
  ],
  [
    'map',
    'fatal error: concurrent map writes\n\ngoroutine 33 [running]:\nmain.(*Cache).put(0xc0001)\n\t/app/cache.go:9 +0x1d',
    'fatal error: concurrent map writes\n\ngoroutine 7 [running]:\nmain.(*Cache).put(0xc0002)\n\t/app/cache.go:12 +0x1f',
  ],
  [
    'dial',
    '2026/11/20 10:00:00 dial tcp 10.0.0.1:5432: connect: connection refused',
    '2026/11/21 11:11:11 dial tcp 10.0.0.2:5432: connect: connection refused',
    '2026/11/21 11:11:11 dial tcp [2001:db8::5]:5432: connect: connection refused',
  ],
  [
    'dial that times out',
    '2026/11/20 10:00:00 dial tcp 10.0.0.1:5432: i/o timeout',
    '2026/11/21 11:11:11 dial tcp 10.0.0.2:5432: i/o timeout',
  ],
  [
    'slog',
    'time=2026-11-20T10:00:00.000Z level=ERROR msg="order failed" id=17 err="no stock"',
    'time=2026-11-21T10:00:00.000Z level=ERROR msg="order failed" id=4 err="no stock"',
  ],
  ['slog, another', 'time=2026-11-20T10:00:00.000Z level=ERROR msg="order failed" id=17 err="no money"'],
];

const oops = (stamp: string, address: string, comm: string, top: string, offset: string) =>
  `[${stamp}] BUG: kernel NULL pointer dereference, address: ${address}\n[${stamp}] CPU: 3 PID: 1234 Comm: ${comm} Not tainted 6.1.0-13-amd64 #1\n[${stamp}] RIP: 0010:${top}+${offset}/0x5a0\n[${stamp}] Call Trace:\n[${stamp}]  <TASK>\n[${stamp}]  ? __die_body+0x1a/0x60\n[${stamp}]  ${top}+${offset}/0x5a0\n[${stamp}]  nf_hook_slow+0x3d/0xb0\n[${stamp}]  </TASK>\n[${stamp}] ---[ end trace 0000000000000000 ]---`;

const KERNEL: Group[] = [
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

const OTHERS: Group[] = [
  [
    'failed SSH password',
    'Failed password for root from 203.0.113.5 port 51234 ssh2',
    'Failed password for root from 203.0.113.77 port 22022 ssh2',
  ],
  [
    'unknown SSH user',
    'Invalid user admin from 203.0.113.5 port 51234',
    'Invalid user admin from 2001:db8::5 port 40000',
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

const PROGRAMS: Readonly<Record<string, Group[]>> = { NGINX, OPENRESTY, NODE, JAVA, PYTHON, GO, KERNEL, OTHERS };
const groups = Object.entries(PROGRAMS).flatMap(([program, list]) =>
  list.map(([name, ...lines]) => ({ name: `${program}: ${name}`, lines })),
);

describe('fingerprint of lines of real programs', () => {
  it.each(groups)('is one for $name', ({ lines: [first = '', ...others] }) => {
    for (const other of others) expect(normalForm(other)).toBe(normalForm(first));
    for (const other of others) expect(fingerprint(other)).toBe(fingerprint(first));
  });

  it('is another for each group', () => {
    const names = new Map<string, string>();
    for (const { name, lines } of groups) {
      const key = fingerprint(lines[0] ?? '');
      expect(names.get(key), name).toBeUndefined();
      names.set(key, name);
    }
    expect(names.size).toBe(groups.length);
  });

  it('is shown with more than two hundred lines', () => {
    const physical = groups
      .flatMap(({ lines }) => lines)
      .join('\n')
      .split('\n');
    expect(groups.flatMap(({ lines }) => lines).length).toBeGreaterThanOrEqual(150);
    expect(physical.length).toBeGreaterThanOrEqual(200);
  });
});
