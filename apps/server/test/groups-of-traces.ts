// Stack traces as programs of more languages write them, by group. Written for the test, in the formats of these
// languages.
import type { Group } from './groups-of-servers.ts';

const java = (line: number, more: number, cause: string) =>
  `com.example.shop.ShopError: cannot pay\n\tat com.example.shop.Till.pay(Till.java:${line})\n\tat com.example.Main.main(Main.java:${line + 1})\nCaused by: com.example.shop.StoreError: cannot store\n\tat com.example.shop.Store.put(Store.java:${line})\n\t... ${more} more\nCaused by: java.lang.IllegalStateException: closed\n${cause}\t... ${more + 2} more`;

export const CAUSES: Group[] = [
  [
    'innermost cause in one method',
    java(7, 3, '\tat com.example.db.Pool.open(Pool.java:9)\n'),
    java(8, 4, '\tat com.example.db.Pool.open(Pool.java:11)\n'),
    `2026-11-20 10:00:00 ERROR Till failed\n${java(9, 4, '\tat com.example.db.Pool.open(Pool.java:11)\n')}`,
  ],
  ['innermost cause in another method', java(7, 3, '\tat com.example.db.Pool.close(Pool.java:30)\n')],
  [
    'cause in a library',
    java(7, 3, '\tat org.postgresql.Driver.connect(Driver.java:9)\n'),
    java(9, 6, '\tat org.postgresql.Driver.connect(Driver.java:12)\n'),
  ],
  [
    'jars of Logback',
    'java.lang.IllegalStateException: full\n\tat com.example.Queue.put(Queue.java:5) ~[queue-1.2.jar!/:1.2]\n\tat com.example.Main.run(Main.java:7) [main.jar:?]',
    'java.lang.IllegalStateException: full\n\tat com.example.Queue.put(Queue.java:6) ~[queue-1.3-SNAPSHOT.jar!/:1.3-SNAPSHOT]\n\tat com.example.Main.run(Main.java:8) [app.jar:?]',
    'java.lang.IllegalStateException: full\n\tat com.example.Queue.put(Queue.java:6)\n\tat com.example.Main.run(Main.java:8)',
  ],
  [
    'time of java.util.logging',
    'Nov 20, 2026 9:05:17 AM com.example.Main run: IllegalStateException: stuck\n\tat com.example.Main.run(Main.java:8)',
    'Nov 21, 2026 4:00:01 PM com.example.Main run: IllegalStateException: stuck\n\tat com.example.Main.run(Main.java:9)',
  ],
  [
    'cause in Node.js',
    'Error: cannot load\n    at load (/app/src/load.js:3:9)\n    at main (/app/src/main.js:1:1) {\n  [cause]: TypeError: no name\n      at nameOf (/app/src/name.js:2:2)\n      at load (/app/src/load.js:2:5)\n}',
    'Error: cannot load\n    at load (/app/src/load.js:5:9)\n    at main (/app/src/main.js:2:1) {\n  [cause]: TypeError: no name\n      at nameOf (/app/src/name.js:4:2)\n      at load (/app/src/load.js:4:5)\n}',
  ],
  [
    'another cause in Node.js',
    'Error: cannot load\n    at load (/app/src/load.js:3:9)\n    at main (/app/src/main.js:1:1) {\n  [cause]: TypeError: no name\n      at keyOf (/app/src/key.js:2:2)\n      at load (/app/src/load.js:2:5)\n}',
  ],
  [
    'fields of an error',
    "Error: no file\n    at read (/app/src/read.js:3:9) {\n  code: 'ENOENT'\n}",
    'Error: no file\n    at read (/app/src/read.js:5:9)',
  ],
  [
    'bundle of Vite',
    'TypeError: e is null\n    at o (https://shop.example.com/assets/index-Bk_9a-Zx.js:1:48)\n    at https://shop.example.com/assets/cart-DW3x_9Qa.js:2:11',
    'TypeError: e is null\n    at o (https://shop.example.com/assets/index--x4RtYb2.js:1:51)\n    at https://shop.example.com/assets/cart-Zq-81bcA.js:2:17',
  ],
];

const group = (line: number, sub: string) =>
  `  + Exception Group Traceback (most recent call last):\n  |   File "/app/shop/jobs.py", line ${line}, in run\n  |     async with TaskGroup() as group:\n  | ExceptionGroup: unhandled errors in a TaskGroup (${line} sub-exceptions)\n  +-+---------------- 1 ----------------\n${sub}    +---------------- 2 ----------------\n    | KeyError: 'b'\n    +------------------------------------\n`;

export const EXCEPTION_GROUPS: Group[] = [
  [
    'first error with a traceback',
    group(
      3,
      '    | Traceback (most recent call last):\n    |   File "/app/shop/pay.py", line 5, in pay\n    |     check(card)\n    | ValueError: no card 17\n',
    ),
    `ERROR:asyncio:job 5 failed\n${group(9, '    | Traceback (most recent call last):\n    |   File "/app/shop/pay.py", line 8, in pay\n    |     check(card, 1)\n    |     ~~~~~^^^^^^\n    | ValueError: no card 4\n')}`,
  ],
  [
    'first error without a traceback',
    group(3, '    | TypeError: 5 is no card\n'),
    group(4, '    | TypeError: 6 is no card\n'),
  ],
];

export const RUST: Group[] = [
  [
    'unwrap',
    'thread \'main\' panicked at src/config.rs:9:10:\ncalled `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: "No such file" }\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
    'thread \'tokio-runtime-worker\' panicked at src/config.rs:12:10:\ncalled `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: "No such file" }\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/9fc6b43126/library/std/src/panicking.rs:665:5\n   1: app::config::load\n             at ./src/config.rs:12:10',
    'starting\nthread \'main\' (4711) panicked at src/config.rs:7:1:\ncalled `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: "Not found" }',
  ],
  [
    'unwrap in another file',
    'thread \'main\' panicked at src/order.rs:9:10:\ncalled `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: "No such file" }',
  ],
  [
    'index, of an old release',
    "thread 'main' panicked at 'index out of bounds: the len is 3 but the index is 9', src/order.rs:2:5\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    "thread 'worker' panicked at 'index out of bounds: the len is 1 but the index is 4', src/order.rs:3:5\nstack backtrace:\n   0: rust_begin_unwind",
  ],
];

export const DART: Group[] = [
  [
    'exception',
    'Unhandled exception:\nException: no order 17\n#0      Shop.order (package:shop/shop.dart:17:20)\n#1      _rootRun (dart:async/zone.dart:1391:47)\n#2      main (file:///app/bin/main.dart:3:3)',
    'Unhandled exception:\nException: no order 4\n#0      Shop.order (package:shop/shop.dart:19:20)\n#1      _rootRun (dart:async/zone.dart:1399:13)\n#2      main (file:///app/bin/main.dart:5:3)',
  ],
  [
    'the same exception elsewhere',
    'Unhandled exception:\nException: no order 17\n#0      Shop.cancel (package:shop/shop.dart:40:20)\n#1      main (file:///app/bin/main.dart:3:3)',
  ],
];

const laravel = (user: string, place: string, frame: string) =>
  `[2026-11-20 09:00:00] production.ERROR: Attempt to read property "name" on null {${user}"exception":"[object] (ErrorException(code: 0): Attempt to read property \\"name\\" on null at ${place})\n[stacktrace]\n#0 /srv/app/vendor/laravel/framework/src/Illuminate/Foundation/Bootstrap/HandleExceptions.php(254): handleError()\n#1 ${frame}: show()\n#2 {main}\n"}`;

export const LARAVEL: Group[] = [
  [
    'controller',
    laravel('"userId":17,', '/srv/app/app/UserController.php:31', '/srv/app/app/UserController.php(31)'),
    laravel('"userId":4,', '/srv/app/app/UserController.php:33', '/srv/app/app/UserController.php(33)'),
    laravel('', '/srv/app/app/UserController.php:33', '/srv/app/app/UserController.php(33)'),
  ],
  [
    'another controller',
    laravel('"userId":17,', '/srv/app/app/CartController.php:31', '/srv/app/app/CartController.php(31)'),
  ],
];

export const RUBY: Group[] = [
  [
    'script',
    "/srv/app/lib/cart.rb:7:in `sum': undefined method `+' for nil:NilClass (NoMethodError)\n\tfrom /srv/app/lib/cart.rb:30:in `block in total'\n\tfrom bin/run:5:in `<main>'",
    "/srv/app/lib/cart.rb:9:in `sum': undefined method `+' for nil:NilClass (NoMethodError)\n\tfrom /srv/app/lib/cart.rb:33:in `block in total'\n\tfrom bin/run:6:in `<main>'",
  ],
  [
    'script, another method',
    "/srv/app/lib/cart.rb:7:in `count': undefined method `+' for nil:NilClass (NoMethodError)\n\tfrom bin/run:5:in `<main>'",
  ],
  [
    'Rails',
    "NoMethodError (undefined method `name' for nil:NilClass):\n\napp/controllers/users_controller.rb:69:in `show'\n/usr/lib/ruby/gems/3.3.0/gems/rack-3.0.8/lib/rack/runtime.rb:24:in `call'",
    "NoMethodError (undefined method `name' for nil:NilClass):\n\napp/controllers/users_controller.rb:71:in `show'\n/usr/lib/ruby/gems/3.3.0/gems/rack-3.1.0/lib/rack/runtime.rb:31:in `call'",
    "Completed 500 Internal Server Error in 12ms\nNoMethodError (undefined method `name' for nil:NilClass):\n\napp/controllers/users_controller.rb:71:in `show'",
  ],
  [
    'Rails, another action',
    "NoMethodError (undefined method `name' for nil:NilClass):\n\napp/controllers/users_controller.rb:80:in `edit'",
  ],
  [
    'quotes of Ruby 3.4',
    "lib/cart.rb:7:in 'Cart#sum': no item 17 (KeyError)\n\tfrom bin/run:5:in '<main>'",
    "lib/cart.rb:8:in 'Cart#sum': no item 4 (KeyError)\n\tfrom bin/run:6:in '<main>'",
  ],
];

export const DOTNET: Group[] = [
  [
    'null in one method',
    'Unhandled exception. System.NullReferenceException: Object reference not set.\n   at System.Linq.Enumerable.First()\n   at Shop.Orders.Total(Order order) in /src/Shop/Orders.cs:line 44\n   at Microsoft.AspNetCore.Mvc.Executor.Execute(ActionContext context)',
    'Unhandled exception. System.NullReferenceException: Object reference not set.\n   at System.Linq.Enumerable.Single()\n   at Shop.Orders.Total(Order order) in /src/Shop/Orders.cs:line 47\n   at Microsoft.AspNetCore.Routing.Executor.Run()',
  ],
  [
    'null in another method',
    'Unhandled exception. System.NullReferenceException: Object reference not set.\n   at Shop.Carts.Sum(Cart cart) in /src/Shop/Carts.cs:line 12',
  ],
];
