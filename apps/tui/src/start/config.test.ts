import type { Environment } from '@quarterdeck/core/environment';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

const files: Record<string, string> = {
  '/run/token': 'qd_t_abc\n',
  '/run/empty': '\n',
  '/run/url': 'https://ops.example/qd/\n',
};
const readFile = (path: string): string => {
  const content = files[path];
  if (content === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  return content;
};
const read = (env: Environment, ...args: string[]) => readConfig(args, env, readFile, 'linux');

describe('the configuration', () => {
  it.each([
    [{ EDITOR: 'nano' }, 'nano'],
    [{ EDITOR: 'nano', VISUAL: 'code --wait' }, 'code --wait'],
    [{ EDITOR: '', VISUAL: '' }, 'vi'],
  ])('takes the editor of %j', (env, editor) => {
    expect(read(env).programs.editor).toBe(editor);
  });

  it.each([
    ['linux', { DISPLAY: ':0' }, ['xclip', 'xsel']],
    ['linux', { DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0' }, ['wl-copy', 'xclip', 'xsel']],
    ['linux', { WSL_DISTRO_NAME: 'Debian' }, ['clip.exe']],
    ['darwin', {}, ['pbcopy']],
    ['darwin', { SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' }, []],
    ['linux', { DISPLAY: ':0', TMUX: '/tmp/tmux-0/default,1,0' }, ['tmux']],
  ] as const)('copies on %s, where the environment is %j, with %j', (platform, env, programs) => {
    const { clipboard } = readConfig([], env, readFile, platform);
    expect(clipboard.programs.map(([program]) => program)).toEqual(programs);
  });

  it('prefers a server of the environment to the profile of the settings', () => {
    expect(read({ QUARTERDECK_URL: 'https://ops.example' }).hasAddress).toBe(true);
  });

  it('has a default address and no token', () => {
    expect(read({})).toMatchObject({
      hasAddress: false,
      profile: { name: 'Quarterdeck', url: 'http://127.0.0.1:7080', readOnly: false, isProtected: false },
      token: undefined,
      programs: { pager: 'less' },
      screenReader: false,
      demo: false,
    });
  });

  it('reads variables, or the files that they name', () => {
    expect(read({ QUARTERDECK_URL: 'http://host:1/', QUARTERDECK_TOKEN: 'qd_t_x' })).toMatchObject({
      profile: { url: 'http://host:1' },
      token: 'qd_t_x',
    });
    expect(read({ QUARTERDECK_URL_FILE: '/run/url', QUARTERDECK_TOKEN_FILE: '/run/token' })).toMatchObject({
      profile: { url: 'https://ops.example/qd' },
      token: 'qd_t_abc',
    });
    expect(read({ QUARTERDECK_URL: '', QUARTERDECK_TOKEN_FILE: '/run/empty' })).toMatchObject({ token: undefined });
  });

  it('needs no server for the demo', () => {
    expect(read({ QUARTERDECK_URL: 'nonsense' }, '--demo', '--ascii', '--read-only')).toMatchObject({
      demo: true,
      ascii: true,
      profile: { name: 'demo', readOnly: true },
    });
    expect(read({}, '--profile', 'prod').profileName).toBe('prod');
  });

  it.each([
    [{ COLORTERM: 'truecolor' }, 'true', undefined],
    [{ TERM: 'xterm-256color', COLORFGBG: '15;0' }, 256, 'dark'],
    [{ TERM: 'xterm', COLORFGBG: '0;default;15' }, 16, 'light'],
    [{ COLORFGBG: 'default' }, 16, undefined],
  ] as const)('reads from %j how many colours there are and on what', (env, depth, background) => {
    expect(read(env)).toMatchObject({ depth, background });
  });

  it.each([
    [['--ascii'], true],
    [['--glyphs'], false],
    [[], undefined],
  ])('takes the drawing of %j', (args, ascii) => {
    expect(read({}, ...args).ascii).toBe(ascii);
  });

  it('turns colours off with NO_COLOR', () => {
    expect(read({ NO_COLOR: '1' }).color).toBe(false);
    expect(read({ NO_COLOR: '' }).color).toBe(true);
  });

  it.each([
    [[], 'screen'],
    [['--once'], 'text'],
    [['--json'], 'json'],
    [['--once', '--json'], 'json'],
    [['--help'], 'help'],
    [['-h'], 'help'],
    [['--version'], 'version'],
  ])('%j runs as %s', (args, mode) => {
    expect(read({}, ...args).mode).toBe(mode);
  });

  it('shows the help even with a wrong environment', () => {
    expect(read({ QUARTERDECK_URL: 'nonsense' }, '--help').mode).toBe('help');
  });

  it.each<[string, Environment, RegExp]>([
    [
      'no address',
      { QUARTERDECK_URL: 'nonsense' },
      /^QUARTERDECK_URL gives "nonsense"; allowed: an http:\/\/ or https:\/\/ address/,
    ],
    ['another protocol', { QUARTERDECK_URL: 'ftp://host' }, /^QUARTERDECK_URL/],
    ['a query', { QUARTERDECK_URL: 'http://host/?a=b' }, /^QUARTERDECK_URL/],
    [
      'a password in the address',
      { QUARTERDECK_URL: 'http://me:hunter2@host' },
      /^QUARTERDECK_URL gives .*without user, password/,
    ],
    [
      'both forms',
      { QUARTERDECK_TOKEN: 'secret', QUARTERDECK_TOKEN_FILE: '/run/token' },
      /^QUARTERDECK_TOKEN and QUARTERDECK_TOKEN_FILE/,
    ],
    ['a file that is not there', { QUARTERDECK_TOKEN_FILE: '/nowhere' }, /^QUARTERDECK_TOKEN_FILE names .*ENOENT/],
    [
      'a token that no header can carry',
      { QUARTERDECK_TOKEN: 'secret token' },
      /^QUARTERDECK_TOKEN gives .*allowed: an API token/,
    ],
  ])('refuses %s with one line that names the variable and no secret', (_, env, message) => {
    expect(() => read(env)).toThrow(message);
    expect(() => read(env)).not.toThrow(/hunter2|secret/);
    expect(() => read(env)).not.toThrow(/\n/);
  });

  it('rejects an unknown option without repeating it', () => {
    expect(() => read({}, '--token=qd_t_secret')).toThrow('Unknown option');
    expect(() => read({}, '--ascii', '--glyphs')).toThrow('only one of --ascii and --glyphs');
    expect(() => read({}, 'qd_t_secret')).not.toThrow(/secret/);
  });
});
