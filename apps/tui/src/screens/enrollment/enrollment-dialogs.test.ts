import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { enrollCommand, RUN_COMMAND } from './enrollment-dialogs.ts';

const page = (path: string): string => readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8');
const URL_OF_DOCS = 'https://quarterdeck.example';

it('is the command of docs/how-to/install-agent.md, which the README names', () => {
  const guide = page('docs/how-to/install-agent.md');
  expect(page('README.md')).toContain('docs/how-to/install-agent.md');
  const [, documented] = /^(quarterdeck-agent enroll .*) --token-file \S+$/m.exec(guide) ?? [];
  const [variable = '', command] = enrollCommand({ url: URL_OF_DOCS, consoleUrl: undefined }, 'qd_e_1')
    .trim()
    .split(/=qd_e_1 /);
  expect(command).toBe(documented);
  expect(guide).toContain(`\`${variable}\``);
  expect(guide.split('\n')).toContain(RUN_COMMAND);
});

it('names the console where it runs apart, by a variable of the agent', () => {
  const command = enrollCommand({ url: URL_OF_DOCS, consoleUrl: 'https://console.example' }, 'qd_e_1');
  expect(command).toBe(
    ` QUARTERDECK_CONSOLE_URL=https://console.example QUARTERDECK_ENROLL_TOKEN=qd_e_1 quarterdeck-agent enroll --server ${URL_OF_DOCS}`,
  );
  expect(page('docs/reference/agent.md')).toContain('| `QUARTERDECK_CONSOLE_URL`');
});

it('quotes what the shell would read', () => {
  expect(enrollCommand({ url: "http://a'b;c", consoleUrl: undefined }, 'qd_e_1')).toContain(
    "--server 'http://a'\\''b;c'",
  );
});
