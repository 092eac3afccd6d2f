import { describe, expect, it } from 'vitest';
import { checkPassword, findPasswordFault } from './password-rules.ts';

const ann = { username: 'ann.larsson', secondFactor: false };
const annWith2fa = { ...ann, secondFactor: true };

describe('a password', () => {
  it.each([
    'correct horse battery staple',
    'tugboat-lantern-9',
    'all lower case and nothing else',
    'ett långt lösenord på svenska',
    '长密码由十五个汉字组成真的足够长了',
    'my cat ann sleeps on the deck',
    'x7#Kq9!zR2@wL5$',
    // Eleven of sixteen steps are to a neighbour: less than three quarters.
    'abcdefghijkl7!q?k',
    // Seven repeated characters that are no common password.
    'k7wq!zpk7wq!zpk7wq!zp',
    // A common password in the middle of as much or more else.
    '8231!monkey!9047',
    '9047football!823',
  ])('may be %j', async (password) => {
    expect(await findPasswordFault(password, ann)).toBeUndefined();
  });

  it.each([
    ['tugboat-lanter', /15 to 256/],
    ['x'.repeat(257), /15 to 256/],
    ['ann.larsson12345', /username/],
    ['Ann.Larsson-ann.larsson', /username/],
    ['quarterdeck12345', /quarterdeck/],
    ['QuarterDeckQuarterDeck', /quarterdeck/],
    ['aaaaaaaaaaaaaaaa', /run/],
    ['123456789012345', /run/],
    ['qwertyuiopasdfghjkl', /run/],
    ['zyxwvutsrqponmlk', /run/],
    ['11112222333344445555', /run/],
    // Twelve of sixteen steps.
    ['abcdefghijklm7!q?', /run/],
    ['zxcvbnmmnbvcxzzxcvbnm', /run/],
    ['tztztztztztztztz', /run/],
    ['azazazazazazazaz', /run/],
    ['ab1!ab1!ab1!ab1!', /repeat the same few/],
    ['k7w!qk7w!qk7w!q', /repeat the same few/],
    ['trustno1trustno1', /repeat the same few/],
    ['1qaz2wsx3edc4rfv', /most common passwords/],
    ['polniypizdec0211', /most common passwords/],
    ['basketball!2024', /most common passwords/],
    ['2024!basketball', /most common passwords/],
  ])('may not be %j', async (password, reason) => {
    expect(await findPasswordFault(password, ann)).toMatch(reason);
  });

  it('may have 8 characters beside a second factor, but must not be common', async () => {
    expect(await findPasswordFault('tug7boat', ann)).toMatch(/15/);
    expect(await findPasswordFault('tug7boat', annWith2fa)).toBeUndefined();
    expect(await findPasswordFault('tug7boa', annWith2fa)).toMatch(/8 to 256/);
    expect(await findPasswordFault('trustno1', annWith2fa)).toMatch(/most common passwords/);
  });

  it('may be up to 256 characters long', async () => {
    const long = Array.from({ length: 64 }, (_, i) => String(1000 + ((i * 7919) % 8999))).join('');
    expect(await findPasswordFault(long, ann)).toBeUndefined();
    expect(await findPasswordFault(`${long}x`, ann)).toMatch(/15 to 256/);
  });

  it('must not consist half of a username of three or more characters', async () => {
    const fault = (username: string, password: string) =>
      findPasswordFault(password, { username, secondFactor: false });
    expect(await fault('margaret', 'margaret7kq9!xw2')).toMatch(/username/);
    expect(await fault('margaret', 'margaret7kq9!xw2p')).toBeUndefined();
    expect(await fault('ann', 'ann7annkann9annz')).toMatch(/username/);
    expect(await fault('ab', 'ab7abkab9abzabqabw')).toBeUndefined();
  });

  it('is measured in characters after normalisation', async () => {
    // One character each, and two or more UTF-16 units.
    expect(await findPasswordFault('🦭🐋🐬🦈🐙🦑🦀🦞🐠🐟🐡🦐🐚🪸⚓', ann)).toBeUndefined();
    expect(await findPasswordFault('🦭🐋🐬🦈🐙🦑🦀🦞🐠🐟🐡🦐🐚🪸', ann)).toMatch(/15/);
    // Fourteen composed characters, written as more.
    expect(await findPasswordFault('åéöüñçàèìòùâêî'.normalize('NFD'), ann)).toMatch(/15/);
  });

  it('is refused with the name of its field', async () => {
    await expect(checkPassword('correct horse battery staple', ann)).resolves.toBeUndefined();
    await expect(checkPassword('short', ann)).rejects.toMatchObject({
      code: 'validation_failed',
      message: 'body.password: must be 15 to 256 characters long',
      fields: [{ path: 'body.password', message: 'must be 15 to 256 characters long' }],
    });
  });
});
