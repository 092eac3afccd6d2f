// Recognizes frames of stack traces, one line each.

/** `#0 /app/a.php(12): f()`, `#2  0x00007f in raise () from /lib/libc.so`. */
const NUMBERED = /^#\d+ +(?:\/|\{main\}|\[internal|0x[0-9a-f]+ )/;
/** `:10:5`, `:line 44`. */
const PLACE = /:(?:\d+:|line )\d+$/;
const PYTHON = /^File ".*", line \d+/;
/** `bar@https://x.example/app.js:10:5` of Firefox and Safari. The function may be missing. */
const FIREFOX = /^[^\s@]*@(?:[a-z-]+:\/\/|\/)\S*:\d+(?::\d+)?$/;
/** `app/models/cart.rb:7:in 'Cart#sum'`, `rack (3.0.8) lib/a.rb:3:in`. Behind the quote a head names the error. */
const RUBY = /^(?:from |[\w-]{1,64} \([\w.]{1,32}\) )?\S+:\d+:in [`'].*'$/;
/** `main.(*Shop).order(0xc000012345, {0x1, 0x2})`: a name without blanks, then arguments. */
const GO_CALL = /^[^\s(]+\(.*\)$/;
/** `rax    0x8`: Go prints the registers when a signal ends the program. */
const GO_REGISTER = /^[a-z0-9]{2,6} +0x[0-9a-f]+$/;

/** Reports whether a text ends with brackets, as calls do. A pattern would take quadratic time. */
const endsWithCall = (text: string): boolean => text.endsWith(')') && text.includes('(');

/** `at handle (/app/a.js:10:5)`, `at com.acme.A.b(A.java:1) {`, `at Shop.Total(Order o) in /src/a.cs:line 44`. */
function isCall(text: string): boolean {
  const call = text.endsWith(' {') ? text.slice(0, -2) : text;
  return endsWithCall(call) || PLACE.test(call);
}

/** `#1 main (file:///a.dart:1:2)`, `#3 shelf_take (s=0x1) at shelf.c:7`. */
const isNumberedCall = (text: string): boolean =>
  /^#\d+ +\S/.test(text) && (endsWithCall(text) || /\) (?:at|from) \S+$/.test(text));

/** `main::f("a") called at shop.pl line 7` of Perl, with a period in threads. */
function isPerl(text: string): boolean {
  const at = text.lastIndexOf(' called at ');
  return at > 0 && / line \d{1,7}\.?$/.test(text.slice(-16)) && text.indexOf(' line ', at) > 0;
}

/** `3   libswiftCore.dylib   0x00007f2c1 $ss5print + 12` of Swift, `(shop 0.1.0) lib/a.ex:3: Shop.f/1` of Elixir. */
const SWIFT = /^\d{1,3} {1,4}\S[^\t]{0,64} 0x[0-9a-f]{6,16} /;
const ELIXIR = /^(?:\([\w.~ -]{1,64}\) )?[\w./-]{1,200}\.(?:ex|exs|erl):\d{1,6}: /;

/** Reports whether a line, without its indent, is a frame. */
export function isFrame(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) return SWIFT.test(text);
  if (text.startsWith('at ')) return isCall(text);
  if (text.startsWith('#')) return NUMBERED.test(text) || isNumberedCall(text);
  if (text.startsWith('... ')) return text.endsWith(' more');
  if (text.startsWith('File "')) return PYTHON.test(text);
  if (text.includes('@') && FIREFOX.test(text)) return true;
  if (text.includes(' called at ')) return isPerl(text);
  return (text.includes(':in ') && RUBY.test(text)) || (text.includes('.e') && ELIXIR.test(text));
}

/** Reports whether a line is one that Go writes in a trace. In other texts it may be anything. */
export const isGoFrame = (text: string): boolean =>
  GO_CALL.test(text) || GO_REGISTER.test(text) || /^(?:created by|exit status) /.test(text);
