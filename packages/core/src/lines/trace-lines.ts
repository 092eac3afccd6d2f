// Decides whether a line continues the entry that the lines before it began: a stack trace, or a message of several
// lines. One set of rules for syslog and for files.
import { LEVEL_ERROR, LEVELS } from '../base/level.ts';
import { beginsOops, continuesOops, endsOops } from './kernel-oops.ts';
import { levelInText } from './level-in-text.ts';
import { PostgresEntry } from './postgres-entry.ts';
import { isFrame, isGoFrame } from './trace-frames.ts';

/**
 * The form of an entry so far. It decides which further lines belong to it.
 *
 * - `titled`: a title above the line that names the error.
 * - `source`, `caret`: the position that Node.js prints above an error, and the row of `^` below its source line.
 * - `ended`: a traceback of Python with its error.
 * - `raised`: a sentence between two tracebacks.
 * - `quoted`: the output of a program in quotes that nginx closes on a later line, behind which its context follows.
 * - `record`: the first line of a record of java.util.logging.
 */
type Form =
  | 'text'
  | 'titled'
  | 'source'
  | 'caret'
  | 'python'
  | 'group'
  | 'ended'
  | 'raised'
  | 'go'
  | 'php'
  | 'kernel'
  | 'quoted'
  | 'record'
  | 'ruby'
  | 'erlang'
  | 'over';

/** Beginnings of lines that never stand alone, in any language. */
const GOES_ON =
  /^(?:Caused by:|[Ss]tack (?:traceback|backtrace):|Stacktrace:|coroutine \d+:|\(Use `node --trace|\[signal |Call Trace:|CallStack \(from |---> |note: run with `RUST_BACKTRACE|Current stack trace:|At (?:line|\S{1,260}):\d{1,6} char:\d{1,6}$)/;
/**
 * Beginnings of lines that belong to a stack trace, and may stand alone elsewhere: of Java, .NET, Dart, Reactor, Rust,
 * Julia, PowerShell, Elixir.
 */
const TRACE_GOES_ON =
  /^(?:Suppressed: |Wrapped by: |--- End of |<asynchronous suspension>|={5} asynchronous gap|\.\.\.additional frames|Assembly trace from producer \[|Error has been observed |Original Stack Trace:|\*__|\|_|note: |in expression starting at |\+ |Last message|State: |Function: |Args: |Initial Call: |Ancestors: )/;
/** The name of an exception of Java or .NET, which loggers write below their own line. */
const LOGGED_EXCEPTION = /^(?:[A-Za-z_][\w$]*\.)+(?:[A-Z][\w$]*)?(?:Exception|Error)(?::|$)/;
/** The error that Elixir writes below the line of its logger. */
const ELIXIR_ERROR = /^\*\* \([A-Z][\w.]{0,100}\) /;
/** A report of Erlang, and its lines. */
const ERLANG = /^=[A-Z]{2,16} REPORT====/;
const ERLANG_GOES_ON = /^(?:\*\* |[a-z_]{2,32}: |Supervisor: |Context: |Reason: |Offender: )/;
/** `/app/pay.rb:12:in 'Pay#charge': boom (RuntimeError)`. The class is what tells a cause from another error. */
const RUBY_PLACE = /:\d{1,6}:in [`']/;
const RUBY_CLASS = /\(([A-Z][\w:]{0,100})\)$/;
const RUBY_CLASS_MAX = 104;
/** The first line of a record of java.util.logging, whose second line names the level. */
const JUL_HEAD = /^[A-Z][a-z]{2} \d{1,2}, \d{4},? \d{1,2}:\d\d:\d\d[ \u202f][AP]M \S/;
const JUL_LEVEL = /^(?:SEVERE|WARNING|INFO|CONFIG|FINE|FINER|FINEST): /;
/** `main.f`, `github.com/acme/shop.(*Cart).Add`: Go prints a chain of errors with the functions above their places. */
const GO_FUNCTION =
  /^(?:[\w.~-]{1,64}\/){0,12}[\w-]{1,64}\.(?:\(\*?\w{1,64}\)\.)?\w{1,64}(?:\.func\d{1,4}(?:\.\d{1,4}){0,4})?$/;
const GOROUTINE = /^goroutine \d+ \[/;
/** The last line of Node.js. */
const NODE_ENDS = 'Node.js v';
const PHP = /^(?:Stack trace:|\[stacktrace\]|\[previous exception\])/;
const PHP_NEXT = /^Next [\w\\]+(?:: | in )/;
const TRACEBACK = 'Traceback (most recent call last)';
/** Lines between two tracebacks of which the first caused the second. */
const RAISED = /^(?:During handling of the above exception|The above exception was)/;
/** An exception group of Python has a margin. */
const GROUP = /^\s*\+ Exception Group Traceback \(/;
const GROUP_GOES_ON = /^\s*(?:\||\+-)/;
/** Python prints no title above a syntax error. */
const PYTHON_FILE = /^ {2,3}File ".*", line \d+$/;
/** The head of a trace of Rails, which may be indented. */
const isRailsHead = (text: string): boolean => text.endsWith('):') && /^ *[A-Z][\w:]* \(/.test(text);
const GO = /^(?:panic|fatal error): /;
const isRustHead = (text: string): boolean => text.endsWith(':') && /^thread '.*' (?:\(\d+\) )?panicked at /.test(text);
const SOURCE = /^(?:\/|file:|node:|[A-Za-z]:\\)\S*:\d+$/;
const SOURCE_LINE = /^(?:throw|await) |[;{(),]$/;
const CARETS = /^\s*\^+$/;
/** Lines of one column: inner exceptions of .NET, frames of Julia, the right side of a failed assertion of Rust. */
const ONE_COLUMN = /^ (?:---> |\[\d+\] |right: )/;
const OPENS = '{[(';
const CLOSES = /^[}\])]+[;,]?$/;
/** Laravel ends a trace with the rest of its JSON. */
const CLOSES_JSON = /^"\}(?: [[{].*)?$/;
/** nginx quotes the output of a program, which may have several lines. */
const OPENS_QUOTE = 'FastCGI sent in stderr: "';
const CLOSES_QUOTE = /" while [a-z -]{1,60}, client: /;
/** A line that speaks of an error, or that announces more. */
const OF_ERROR = /error|exception|fail|fatal|crit|severe|alert|emerg|panic|crash|abort|unable|could not|cannot|:$/i;
/** rsyslog writes a tab like this by default. */
const ESCAPED_TAB = '#011';
const TAB_COLUMNS = 8;
/** One column is no indent: some senders write a space before each message. */
const MIN_INDENT = 2;

/** Number of columns of white space at the beginning. */
function indentOf(text: string): number {
  if (text.startsWith(ESCAPED_TAB)) return TAB_COLUMNS;
  let columns = 0;
  for (let at = 0; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x20) columns += 1;
    else if (code === 0x09) columns += TAB_COLUMNS;
    else return columns;
  }
}

/** Restores the tab that rsyslog has escaped. */
export function withTab(text: string): string {
  return text.startsWith(ESCAPED_TAB) ? `\t${text.slice(ESCAPED_TAB.length)}` : text;
}

/** Reports whether a line is a JSON object. It contains its stack trace, so no line continues it. */
export const isJsonLine = (text: string): boolean => text.startsWith('{') && text.endsWith('}');

/** Reports whether a traceback belongs to the line before it: to one of an error, and not to one of a milder level. */
const announcesError = (text: string): boolean =>
  OF_ERROR.test(text) && (levelInText(text) ?? LEVEL_ERROR) <= LEVEL_ERROR;

/** The form of an entry, to which lines are added one by one. Each line is seen once, and only its head is kept. */
export class Trace {
  #head: string;
  /** Columns by which a line must at least be indented to continue the entry. */
  readonly #minIndent: number;
  readonly #isMild: boolean;
  readonly #postgres: PostgresEntry | undefined;
  #form: Form;
  #isTrace: boolean;
  /** The head is the only line. */
  #isAlone = true;
  /** A line ended with a bracket that a further line may close. */
  #isOpen: boolean;
  /** Classes of the errors of Ruby so far. */
  #rubyClasses?: Set<string>;

  /**
   * @param appName program that wrote the line, or `''`
   * @param isMild the line came with a level that is milder than an error
   */
  constructor(head: string, appName = '', isMild = false) {
    this.#head = head;
    const indent = indentOf(head);
    this.#isMild = isMild;
    this.#form = firstForm(head, indent, appName);
    const rubyClass = rubyClassOf(head);
    if (rubyClass !== undefined) this.#rubyClasses = new Set([rubyClass]);
    const isRails = this.#form === 'text' && isRailsHead(head);
    this.#minIndent = isRails ? indent + 1 : Math.max(indent + 1, MIN_INDENT);
    this.#isTrace = isFormOfTrace(this.#form);
    this.#isOpen = endsOpen(head);
    this.#postgres = this.#form === 'text' ? PostgresEntry.of(head) : undefined;
  }

  /** True if the entry has the title or frames of a stack trace, so that it is an error. */
  get isTrace(): boolean {
    return this.#isTrace;
  }

  /** True if the kernel of Linux writes the entry. */
  get isOops(): boolean {
    return this.#form === 'kernel';
  }

  /** Adds a line and returns true if the line continues the entry. */
  add(text: string): boolean {
    const before = this.#form;
    const form = this.#formWith(text);
    if (form === undefined) return false;
    this.#form = form;
    // The second line of a record is its own.
    this.#isAlone = before === 'record';
    const flush = text.trimStart();
    this.#isTrace ||= isFormOfTrace(form) || isFrame(flush) || GOES_ON.test(flush) || ELIXIR_ERROR.test(flush);
    if (endsOpen(text)) this.#isOpen = true;
    else if (CLOSES.test(text)) this.#isOpen = false;
    return true;
  }

  #formWith(text: string): Form | undefined {
    const form = this.#form;
    if (form === 'over') return undefined;
    if (form === 'kernel') return formOfOops(text);
    if (form === 'record') return this.#formWithLevel(text);
    if (form === 'quoted') return CLOSES_QUOTE.test(text) ? 'over' : form;
    if (GROUP.test(text)) return this.#mayRaise() ? 'group' : undefined;
    if (PYTHON_FILE.test(text) && form !== 'python') return this.#mayRaise() ? 'python' : undefined;
    if (form === 'group' && GROUP_GOES_ON.test(text)) return form;
    const indent = indentOf(text);
    if (this.#minIndent < MIN_INDENT && isRailsHead(text)) return undefined;
    if (indent >= this.#minIndent) return this.#formWithIndented(text);
    if (indent > 0) return ONE_COLUMN.test(text) ? form : undefined;
    if (text.startsWith(TRACEBACK)) return this.#mayRaise() ? 'python' : undefined;
    if (RAISED.test(text)) return form === 'ended' || form === 'group' ? 'raised' : undefined;
    return this.#formWithFlush(text);
  }

  /** Reports whether a traceback may follow. */
  #mayRaise(): boolean {
    return (
      this.#form === 'raised' ||
      (!this.#isTrace && !this.#isMild && this.#postgres === undefined && announcesError(this.#head))
    );
  }

  /** Reports whether a logger has written an exception of Java, .NET or Elixir below its line of an error. */
  #isLoggedWith(text: string): boolean {
    const isException = LOGGED_EXCEPTION.test(text) || ELIXIR_ERROR.test(text);
    return isException && !LOGGED_EXCEPTION.test(this.#head) && this.#isLogged();
  }

  /** Reports whether the only line so far is a logger's line of an error. */
  #isLogged(): boolean {
    return this.#isAlone && !this.#isMild && (levelInText(this.#head) ?? LEVELS.length) <= LEVEL_ERROR;
  }

  #formWithLevel(text: string): Form | undefined {
    if (!JUL_LEVEL.test(text)) return undefined;
    this.#head = text;
    return 'text';
  }

  /** Reports whether an error of Ruby is the cause of the one before: it is of another class. */
  #isRubyCause(text: string): boolean {
    const name = rubyClassOf(text);
    this.#rubyClasses ??= new Set();
    if (name === undefined || this.#isAlone || this.#rubyClasses.has(name)) return false;
    this.#rubyClasses.add(name);
    return true;
  }

  #formWithIndented(text: string): Form | undefined {
    const form = this.#form;
    if (form === 'ended' || form === 'raised') return undefined;
    return form === 'source' && CARETS.test(text) ? 'caret' : form;
  }

  #formWithFlush(text: string): Form | undefined {
    const form = this.#form;
    if (GOROUTINE.test(text)) return 'go';
    if (text.startsWith(NODE_ENDS)) return 'over';
    if (PHP.test(text)) return 'php';
    if (GOES_ON.test(text)) return form === 'caret' ? 'text' : form;
    if (isFrame(text) || (this.#isOpen && CLOSES.test(text))) return form;
    if (this.#isTrace && TRACE_GOES_ON.test(text)) return form;
    switch (form) {
      case 'titled':
      case 'caret':
        return 'text';
      case 'source':
        if (CARETS.test(text)) return 'caret';
        return SOURCE_LINE.test(text) ? form : undefined;
      case 'python':
        return 'ended';
      case 'go':
        return isGoFrame(text) || GO_FUNCTION.test(text) ? form : undefined;
      case 'ruby':
        return this.#isRubyCause(text) ? form : undefined;
      case 'erlang':
        return ERLANG_GOES_ON.test(text) ? form : undefined;
      case 'php':
        return PHP_NEXT.test(text) || CLOSES_JSON.test(text) ? form : undefined;
      default:
        if (this.#postgres?.isContinuedBy(text) || this.#isLoggedWith(text)) return form;
        return GO_FUNCTION.test(text) && this.#isLogged() ? 'go' : undefined;
    }
  }
}

function firstForm(head: string, indent: number, appName: string): Form {
  if (isJsonLine(head)) return 'over';
  if (beginsOops(head, appName)) return 'kernel';
  if (head.startsWith(OPENS_QUOTE) && !CLOSES_QUOTE.test(head)) return 'quoted';
  if (GROUP.test(head)) return 'group';
  if (PYTHON_FILE.test(head)) return 'python';
  if (indent >= MIN_INDENT && !isRailsHead(head)) return 'over';
  if (head.startsWith(TRACEBACK)) return 'python';
  if (RAISED.test(head)) return 'raised';
  if (GO.test(head)) return 'go';
  if (isRustHead(head) || head === 'Unhandled exception:') return 'titled';
  if (JUL_HEAD.test(head)) return 'record';
  if (ERLANG.test(head)) return 'erlang';
  if (rubyClassOf(head) !== undefined) return 'ruby';
  return SOURCE.test(head) ? 'source' : 'text';
}

/** The class of the error that a head of Ruby names. */
const rubyClassOf = (head: string): string | undefined =>
  head.endsWith(')') && RUBY_PLACE.test(head) ? RUBY_CLASS.exec(head.slice(-RUBY_CLASS_MAX))?.[1] : undefined;

const isFormOfTrace = (form: Form): boolean => !NO_TRACES.has(form);
const NO_TRACES: ReadonlySet<Form> = new Set(['text', 'source', 'quoted', 'record', 'ruby', 'over']);

const endsOpen = (text: string): boolean => text !== '' && OPENS.includes(text.charAt(text.length - 1));

function formOfOops(text: string): Form | undefined {
  if (endsOops(text)) return 'over';
  return continuesOops(text) ? 'kernel' : undefined;
}
