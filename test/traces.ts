// Makes stack traces and messages of several lines, as programs write them. Each must become one entry.

/** Makes a text; texts of two numbers differ in places, addresses and values. */
export type MakeText = (n: number) => string;

/** Form -> its text. */
export const TRACES: Readonly<Record<string, MakeText>> = {
  'Node.js, thrown in a function': (n) => `/srv/depot/src/queue.js:${n}
    throw new RangeError('queue ${n} is full');
          ^

RangeError: queue ${n} is full
    at push (/srv/depot/src/queue.js:${n}:11)
    at Array.forEach (<anonymous>)
    at async drain (file:///srv/depot/src/drain.mjs:9:3)

Node.js v24.4.${n % 10}`,
  'Node.js, thrown at the top': (n) => `/srv/depot/start.js:1
throw new Error('no depot ${n}');
^

Error: no depot ${n}
    at Object.<anonymous> (/srv/depot/start.js:1:7)

Node.js v24.4.0`,
  'Node.js, with properties': (n) => `Error: read ECONNRESET
    at TCP.onStreamRead (node:internal/stream_base_commons:${n}:20) {
  errno: -104,
  code: 'ECONNRESET',
  [cause]: Error: peer ${n} left
      at leave (/srv/depot/peer.js:${n}:3) {
    peers: [ 1, 2 ]
  }
}`,
  Firefox: (n) => `TypeError: order is undefined
total@https://depot.test/static/cart.js:${n}:17
async*@https://depot.test/static/cart.js:4:1
@https://depot.test/static/main.js:${n}:1`,
  Java: (n) => `java.lang.IllegalStateException: depot ${n} is closed
\tat test.depot.Gate.open(Gate.java:${n})
\tSuppressed: java.io.IOException: key ${n}
\t\tat test.depot.Key.turn(Key.java:8)
Caused by: java.sql.SQLException: ERROR: no such row
  Position: ${n}
\tat test.depot.Rows.one(Rows.java:${n})
\t... 7 more`,
  Python: (n) => `Traceback (most recent call last):
  File "/srv/depot/load.py", line ${n}, in load
    return shelves[${n}]
           ~~~~~~~^^^^
KeyError: ${n}

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/depot/main.py", line 4, in <module>
    load()
depot.Missing: shelf ${n}`,
  'Python, an exception group': (n) => `  + Exception Group Traceback (most recent call last):
  |   File "/srv/depot/all.py", line ${n}, in <module>
  |     raise ExceptionGroup("two failed", found)
  | ExceptionGroup: two failed (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: shelf ${n}
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/srv/depot/one.py", line ${n}, in one
    | KeyError: ${n}
    +------------------------------------`,
  'Python, a syntax error': (n) => `  File "/srv/depot/bad.py", line ${n}
    shelf = = ${n}
            ^
SyntaxError: invalid syntax`,
  Go: (n) => `panic: runtime error: index out of range [${n}] with length ${n}
[signal SIGSEGV: segmentation violation code=0x1 addr=0x${n} pc=0x4a${n}]

goroutine ${n} [chan receive]:
depot/shelf.(*Shelf).Take(0xc00009a000, {0x1, 0x2})
\t/srv/depot/shelf/shelf.go:${n} +0x1d
created by main.main in goroutine 1
\t/srv/depot/main.go:12 +0x91
exit status 2`,
  'Go, recovered by net/http': (n) => `2026/11/20 09:00:00 http: panic serving 192.0.2.7:${50_000 + n}: no shelf
goroutine ${n} [running]:
net/http.(*conn).serve.func1()
\t/usr/local/go/src/net/http/server.go:${n} +0xbe
panic({0x6543a0, 0xc00${n}})
\t/usr/local/go/src/runtime/panic.go:770 +0x132`,
  Rust: (n) => `thread 'main' (${n}) panicked at src/shelf.rs:${n}:9:
assertion \`left == right\` failed: shelves differ
  left: ${n}
 right: 0
stack backtrace:
   0: rust_begin_unwind
             at /rustc/library/std/src/panicking.rs:697:5
   1: depot::shelf::take
             at ./src/shelf.rs:${n}:9
note: run with \`RUST_BACKTRACE=full\` for a verbose backtrace`,
  'Rust, without a backtrace': (n) => `thread 'worker-${n}' panicked at src/main.rs:${n}:5:
shelf ${n} is empty
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
  Dart: (n) => `Unhandled exception:
Bad state: shelf ${n} is empty
#0      Shelf.take (package:depot/shelf.dart:${n}:5)
<asynchronous suspension>
#1      main (file:///srv/depot/bin/main.dart:${n}:3)`,
  '.NET': (n) => `System.InvalidOperationException: depot ${n} is closed
 ---> System.IO.IOException: key ${n}
   at Depot.Key.Turn(Int32 times) in /src/Depot/Key.cs:line ${n}
   --- End of inner exception stack trace ---
   at Depot.Gate.Open() in /src/Depot/Gate.cs:line 4`,
  PHP: (n) => `PHP Fatal error:  Uncaught RuntimeException: shelf ${n} in /srv/depot/shelf.php:${n}
Stack trace:
#0 /srv/depot/main.php(${n}): take()
#1 {main}

Next LogicException: no shelf in /srv/depot/main.php:9
Stack trace:
#0 {main}
  thrown in /srv/depot/main.php on line 9`,
  Laravel: (
    n,
  ) => `[2026-11-20 09:00:00] local.ERROR: Shelf ${n} {"exception":"[object] (DomainException(code: 0): Shelf ${n} at /srv/app/Shelf.php:${n})
[stacktrace]
#0 /srv/vendor/laravel/framework/src/Illuminate/Routing/Route.php(${n}): take()
#1 {main}

[previous exception] [object] (PDOException(code: 7): gone at /srv/vendor/pdo.php:${n})
[stacktrace]
#0 {main}
"}`,
  Ruby: (n) => `/srv/depot/shelf.rb:${n}:in 'Shelf#take': shelf ${n} is empty (KeyError)
\tfrom /srv/depot/main.rb:4:in '<main>'`,
  Rails: (n) => ` KeyError (key not found: ${n}):
  app/models/shelf.rb:${n}:in 'Shelf#take'
  app/controllers/shelves_controller.rb:8:in 'show'`,
  'Rails, without an indent': (n) => `KeyError (key not found: ${n}):

app/models/shelf.rb:${n}:in 'Shelf#take'
app/controllers/shelves_controller.rb:8:in 'show'`,
  PostgreSQL: (
    n,
  ) => `2026-11-20 09:00:00.${100 + n} UTC [${n}] app@depot ERROR:  duplicate key value violates "shelf_pkey"
2026-11-20 09:00:00.${100 + n} UTC [${n}] app@depot DETAIL:  Key (id)=(${n}) already exists.
2026-11-20 09:00:00.${100 + n} UTC [${n}] app@depot STATEMENT:  INSERT INTO shelf
\t(id) VALUES (${n})`,
  'PostgreSQL over syslog': (n) => `[${n}-1] ERROR:  relation "shelf${n}" does not exist at character 15
[${n}-2] STATEMENT:  SELECT *
[${n}-3] \tFROM shelf${n}`,
  psql: (n) => `psql:load.sql:${n}: ERROR:  column "shelf" does not exist
LINE 1: SELECT shelf FROM depot
               ^
HINT:  Perhaps you meant to reference the column "depot.shelf${n}".`,
};
