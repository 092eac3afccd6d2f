// Writes errors with their calls as the stack trace that the language itself prints. So an error of Sentry's SDK and of
// a log are one group.
import { MAX_LINE_BYTES } from '@quarterdeck/core/lines';
import type { Frame, SentryException } from './frames.ts';

/** Writes a chain of errors, the outermost first, each with at most `max` calls. */
type Write = (chain: readonly SentryException[], max: number) => string;

const LANGUAGES: Readonly<Record<string, Write>> = {
  python: writePython,
  java: writeJava,
  csharp: writeDotnet,
  ruby: writeRuby,
  php: writePhp,
  go: writeGo,
  dart: writeDart,
};

/** Numbers of calls of each error that are tried: the trace has to fit into a line. */
const MOST_FRAMES = [100, 50, 25, 10, 4] as const;

/**
 * Writes errors, the outermost first, in the form of a platform of Sentry. All platforms without a form of their own
 * have that of JavaScript. Of a trace that is longer than a line, calls far from the errors are left out.
 */
export function traceText(chain: readonly SentryException[], platform: string): string {
  const write = LANGUAGES[platform] ?? writeJavascript;
  let text = '';
  for (const max of MOST_FRAMES) {
    text = write(chain, max);
    if (Buffer.byteLength(text) <= MAX_LINE_BYTES) break;
  }
  return text;
}

/** `TypeError: message`, or what there is of it. */
const headOf = ({ type, value }: SentryException, name = type): string =>
  name === '' || value === '' ? name || value : `${name}: ${value}`;

/** A name with the package or module that it is in. */
const within = (module: string, name: string): string =>
  module === '' || name === '' || name.startsWith(`${module}.`) ? name || module : `${module}.${name}`;

const placeOf = ({ file, line, column }: Frame): string =>
  `${file}${line === 0 ? '' : `:${line}`}${line === 0 || column === 0 ? '' : `:${column}`}`;

/** `    at total (/app/cart.js:10:5)`; causes follow as Node.js prints them. */
function writeJavascript(chain: readonly SentryException[], max: number): string {
  const lines: string[] = [];
  for (const [depth, one] of chain.entries()) {
    const indent = '  '.repeat(depth);
    const isLast = depth === chain.length - 1;
    const calls = one.frames.slice(0, max).map((frame) => `${indent}    at ${callOf(frame)}`);
    const own = [`${indent}${depth === 0 ? '' : '[cause]: '}${headOf(one)}`, ...calls];
    if (!isLast) own[own.length - 1] += ' {';
    lines.push(...own);
  }
  for (let depth = chain.length - 2; depth >= 0; depth -= 1) lines.push(`${'  '.repeat(depth)}}`);
  return lines.join('\n');
}

function callOf(frame: Frame): string {
  const place = placeOf(frame);
  const name = frame.func || (place === '' ? frame.module : '');
  if (name === '') return place;
  return place === '' ? `${name} (<anonymous>)` : `${name} (${place})`;
}

const BETWEEN = {
  cause: 'The above exception was the direct cause of the following exception:',
  context: 'During handling of the above exception, another exception occurred:',
};

/** Causes come first, and of calls the nearest comes last. */
function writePython(chain: readonly SentryException[], max: number): string {
  const parts = chain.toReversed().map((one) => {
    const head = headOf(one, within(one.module === 'builtins' ? '' : one.module, one.type));
    if (one.frames.length === 0) return head;
    const calls = one.frames
      .slice(0, max)
      .toReversed()
      .map(({ file, line, func, source }) => {
        const call = `  File "${file}", line ${line}${func === '' ? '' : `, in ${func}`}`;
        return source === '' ? call : `${call}\n    ${source}`;
      });
    return ['Traceback (most recent call last):', ...calls, head].join('\n');
  });
  return parts
    .map((part, i) => {
      const cause = chain[chain.length - 1 - i];
      const sentence = cause?.source === '__cause__' ? BETWEEN.cause : BETWEEN.context;
      return i === parts.length - 1 ? part : `${part}\n\n${sentence}\n\n`;
    })
    .join('');
}

/** `\tat com.acme.Shop.order(Shop.java:12)` and `Caused by: `. */
function writeJava(chain: readonly SentryException[], max: number): string {
  return chain
    .flatMap((one, i) => [
      `${i === 0 ? '' : 'Caused by: '}${headOf(one, within(one.module, one.type))}`,
      ...one.frames.slice(0, max).map((frame) => {
        const file = frame.file.slice(frame.file.lastIndexOf('/') + 1);
        const place = file === '' ? 'Unknown Source' : `${file}${frame.line === 0 ? '' : `:${frame.line}`}`;
        return `\tat ${within(frame.module, frame.func)}(${place})`;
      }),
    ])
    .join('\n');
}

/** Inner errors come before the calls of the outer ones. */
function writeDotnet(chain: readonly SentryException[], max: number): string {
  const heads = chain.map((one, i) => `${i === 0 ? '' : ' ---> '}${headOf(one, within(one.module, one.type))}`);
  const calls = chain.map((one) =>
    one.frames.slice(0, max).map((frame) => {
      const name = within(frame.module, frame.func);
      const call = `   at ${name.includes('(') ? name : `${name}()`}`;
      return frame.line === 0 ? call : `${call} in ${frame.file}:line ${frame.line}`;
    }),
  );
  const [outer = [], ...inner] = calls;
  const ended = inner.toReversed().flatMap((own) => [...own, '   --- End of inner exception stack trace ---']);
  return [...heads, ...ended, ...outer].join('\n');
}

/** `/app/cart.rb:7:in 'Cart#sum': divided by 0 (ZeroDivisionError)`, then `from` and the other calls. */
function writeRuby(chain: readonly SentryException[], max: number): string {
  return chain
    .flatMap(({ type, value, frames }) => {
      const [first, ...calls] = frames.slice(0, max).map((frame) => {
        const place = placeOf({ ...frame, column: 0 });
        return frame.func === '' ? place : `${place}:in '${frame.func}'`;
      });
      const said = `${value || type} (${type || 'RuntimeError'})`;
      return [first === undefined ? said : `${first}: ${said}`, ...calls.map((call) => `\tfrom ${call}`)];
    })
    .join('\n');
}

/**
 * `RuntimeException: message in /app/shop.php:12`, then `#0 /app/index.php(3): order()`: PHP has the function that was
 * called beside the place of the call, Sentry the function that the place is in. Causes come first.
 */
function writePhp(chain: readonly SentryException[], max: number): string {
  return chain
    .toReversed()
    .flatMap((one, depth) => {
      const [thrown] = one.frames;
      const head = `${depth === 0 ? '' : 'Next '}${headOf(one)}${thrown === undefined ? '' : ` in ${placeOf(thrown)}`}`;
      const calls = one.frames.slice(0, max).flatMap(({ func }, i) => {
        const caller = one.frames[i + 1];
        if (caller === undefined || func === '') return [];
        const place = caller.file === '' ? '[internal function]' : `${caller.file}(${caller.line})`;
        return [`#${i} ${place}: ${func.includes('(') ? func : `${func}()`}`];
      });
      return [...(depth === 0 ? [] : ['']), head, 'Stack trace:', ...calls, `#${calls.length} {main}`];
    })
    .join('\n');
}

/** `main.order` and, on a line of its own, `\t/app/main.go:12`. */
function writeGo(chain: readonly SentryException[], max: number): string {
  return chain
    .flatMap((one) => [
      headOf(one),
      ...one.frames.slice(0, max).map((frame) => `${within(frame.module, frame.func)}\n\t${placeOf(frame)}`),
    ])
    .join('\n');
}

/** `#0      main (package:shop/main.dart:17:20)`. */
function writeDart(chain: readonly SentryException[], max: number): string {
  return chain
    .flatMap((one) => [
      headOf(one),
      ...one.frames.slice(0, max).map((frame, i) => `${`#${i}`.padEnd(8)}${callOf(frame)}`),
    ])
    .join('\n');
}
