import { describe, expect, it } from 'vitest';
import { clean, firstLine } from '../src/facts/clean.ts';
import { parseMuslVersion } from '../src/facts/collect.ts';
import { parseBuildId, parseDpkgOwner } from '../src/facts/kernel.ts';
import { parseOsRelease } from '../src/facts/os-release.ts';
import { versionNumber } from '../src/facts/package.ts';
import { BUILD_ID, KERNEL_NOTES, note } from './hosts.ts';

describe('parseOsRelease', () => {
  it.each<[string, string, string]>([
    [
      'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"',
      'Debian GNU/Linux 12 (bookworm)',
      'debian 12',
    ],
    ["PRETTY_NAME='Arch Linux'\nID=arch\n", 'Arch Linux', 'arch'],
    ['NAME=Void\nVERSION=rolling\nID="void"', 'Void rolling', 'void'],
    ['PRETTY_NAME="A \\"quoted\\" \\$name"', 'A "quoted" $name', ''],
    ['# PRETTY_NAME=no\n\nPRETTY_NAME=one\nPRETTY_NAME=two', 'two', ''],
    ['PRETTY_NAME="evil\u001b]0;title\u0007 \u202ename"\r\nID=x\r\n', 'evil ]0;title name', 'x'],
    ['', '', ''],
    ['=\n==\n"', '', ''],
    [`PRETTY_NAME=${'x'.repeat(250_000)}`, 'x'.repeat(200), ''],
    [`PRETTY_NAME=${' '.repeat(250_000)}x`, 'x', ''],
  ])('reads %j', (text, name, release) => {
    expect(parseOsRelease(text)).toEqual({ name, release });
  });
});

describe('parseBuildId', () => {
  const bigEndian = Buffer.from('000000040000000800000003474e550000112233aabbccdd', 'hex');

  it.each<[string, string, Buffer, boolean?]>([
    [BUILD_ID, 'among other notes', KERNEL_NOTES],
    ['00112233aabbccdd', 'of a big-endian host', bigEndian, false],
    ['', 'of nothing', Buffer.alloc(0)],
    ['', 'of notes without one', note('Linux', 3, Buffer.alloc(20))],
    ['', 'of another type', note('GNU', 1, Buffer.alloc(20))],
    ['', 'of no length', note('GNU', 3, Buffer.alloc(0))],
    ['', 'of an absurd length', note('GNU', 3, Buffer.alloc(5000))],
    ['', 'that is cut off', KERNEL_NOTES.subarray(0, KERNEL_NOTES.length - 1)],
    ['', 'behind lengths that lead away', Buffer.alloc(64, 0xff)],
    ['', 'in zeros', Buffer.alloc(4096)],
  ])('finds "%s" %s', (expected, _, notes, littleEndian) => {
    expect(parseBuildId(notes, littleEndian)).toBe(expected);
  });
});

describe('parseDpkgOwner', () => {
  it.each<[string, string]>([
    ['linux-image-6.1.0-18-amd64', 'linux-image-6.1.0-18-amd64: /boot/vmlinuz-6.1.0-18-amd64\n'],
    ['linux-image-x', 'linux-image-x:arm64: /boot/vmlinuz'],
    ['a-one', 'a-one, b-two:amd64: /boot/vmlinuz'],
    ['linux-image-x', 'diversion by other from: /boot/vmlinuz\nlinux-image-x: /boot/vmlinuz'],
    ['', 'dpkg-query: no path found matching pattern /boot/vmlinuz'],
    ['', '-rf: /boot/vmlinuz'],
    ['', `a${', a'.repeat(10_000)}`],
    ['', ''],
  ])('finds "%s"', (expected, text) => {
    expect(parseDpkgOwner(text)).toBe(expected);
  });
});

describe('parseMuslVersion', () => {
  it.each<[string, string]>([
    ['1.2.5', 'musl libc (x86_64)\nVersion 1.2.5\nDynamic Program Loader\n'],
    ['1.1.24-git', '\nmusl libc\nVersion 1.1.24-git\n'],
    ['', 'ldd (Debian GLIBC 2.36-9) 2.36\n'],
    ['', ''],
  ])('finds "%s"', (expected, text) => {
    expect(parseMuslVersion(text)).toBe(expected);
  });
});

describe('versionNumber', () => {
  it.each<[number, string]>([
    [1_000, '0.1.0'],
    [1_002_003, '1.2.3'],
    [12_000_000, '12.0.0-rc.1'],
    [1_999_999, '1.1000.5000'],
    [0, 'latest'],
    [0, ''],
  ])('is %d for "%s"', (expected, version) => {
    expect(versionNumber(version)).toBe(expected);
  });
});

describe('clean', () => {
  it.each<[string, string, string]>([
    ['control characters become spaces', 'a\u0000b\r\nc\u001b[31md', 'a b c [31md'],
    ['invisible and direction-changing characters go', 'a\u202eb\u200bc\ufeff', 'abc'],
    ['ends are trimmed', '  \u2003 a  b \n', 'a b'],
    ['half a character is replaced', 'a\ud800b', 'a\ufffdb'],
  ])('%s', (_, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it('never cuts a character in half', () => {
    expect(clean(`${'x'.repeat(199)}\u{1f600}`)).toBe('x'.repeat(199));
  });

  it('takes the first line that is not blank', () => {
    expect(firstLine('\r\n  \n one \ntwo')).toBe('one');
    expect(firstLine('')).toBe('');
  });
});
