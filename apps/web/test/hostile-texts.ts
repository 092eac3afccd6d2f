// Texts that attack a page which takes them for anything but text.

const TAGS = [
  'script',
  'img',
  'svg',
  'iframe',
  'style',
  'link',
  'meta',
  'base',
  'object',
  'embed',
  'form',
  'math',
  'template',
  'video',
  'details',
  'marquee',
  'textarea',
  'a',
];
const ATTRIBUTES = [
  'src=x onerror=alert(1)',
  'onload=alert(1)',
  'href="javascript:alert(1)"',
  'srcdoc="<script>alert(1)</script>"',
  'style="position:fixed;inset:0;background:red"',
  'http-equiv=refresh content="0;url=//evil.test"',
  'action=//evil.test',
  'open ontoggle=alert(1)',
];
const BREAKS = [
  '"',
  "'",
  '">',
  "'>",
  '</title>',
  '</script>',
  '-->',
  ']]>',
  '`',
  '$$alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
];
const ADDRESSES = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  '//evil.test/x',
  'https://evil.test/<script>alert(1)</script>',
  'file:///etc/passwd',
  'blob:https://evil.test/1',
];
const CHARACTERS = [
  'exe.\u202Egnp.txt',
  '\u2066hidden\u2069',
  'pay\u200Bpal',
  '\u001B]8;;https://evil.test\u0007click\u001B]8;;\u0007',
  '\u001B[2J\u001B[31mred',
  'flag\u{E0067}\u{E007F}',
  `z${'\u0301'.repeat(300)}`,
  'a\u2028b\u2029c',
  '\uFEFFbom',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;alert(1)',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '__proto__',
  'constructor',
  'a'.repeat(5_000),
];

/** At least 200 texts; a word of letters makes each a group of its own. */
export function hostileTexts(): string[] {
  const payloads = [
    ...TAGS.flatMap((tag) => ATTRIBUTES.map((attribute) => `<${tag} ${attribute}>x</${tag}>`)),
    ...BREAKS.flatMap((end) => [`${end}<img src=x onerror=alert(1)>`, `${end} onfocus=alert(1) autofocus `]),
    ...ADDRESSES.flatMap((address) => [address, `[click](${address})`, `<${address}>`]),
    ...CHARACTERS,
  ];
  return payloads.map((payload, n) => `${lettersOf(n)} ${payload}`);
}

const lettersOf = (n: number): string =>
  `w${[...String(n)].map((digit) => 'ghijklmnop'[Number(digit)] ?? '').join('')}`;
