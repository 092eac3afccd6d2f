// Lines as programs of some languages write them, by group. Written for the test, in the formats of these languages.
import type { Group } from './groups-of-servers.ts';

export const NODE: Group[] = [
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

export const JAVA: Group[] = [
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

export const PYTHON: Group[] = [
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

export const GO: Group[] = [
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
