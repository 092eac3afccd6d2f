import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { readProxies } from '@quarterdeck/core/network';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startConnectProxy } from '../../../../test/connect-proxy.ts';
import { readSignature, writeSignature } from '../../src/upgrade/minisign.ts';
import { isUpgradeFailure } from '../../src/upgrade/upgrader.ts';
import {
  commentOf,
  type Downloads,
  type Host,
  makeHost,
  makeKey,
  NAME,
  script,
  signatureOf,
  stageOffer,
  startDownloads,
} from './downloads.ts';

const SIGNATURE = `${NAME}.minisig`;

/** Expects that an upgrade is refused with a word, and that no executable is left. */
async function expectRefusal(host: Host, reason: RegExp, upgrade = stageOffer(host.upgrader())): Promise<void> {
  const error = await upgrade.then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
  expect(error).toMatchObject({ message: expect.stringMatching(reason) });
  expect(isUpgradeFailure(error)).toBe(true);
  expect((await host.folder.load()).trial).toBeUndefined();
  const left = await readdir(host.folder.path).catch(() => []);
  expect(left.filter((name) => name !== 'program.json')).toEqual([]);
}

async function prepare(version = '0.2.0'): Promise<{ downloads: Downloads; host: Host }> {
  const downloads = await startDownloads();
  downloads.offer(version);
  return { downloads, host: await makeHost(downloads) };
}

describe('an upgrade', () => {
  it('goes through the proxy of the settings, with its signature', async () => {
    const { downloads, host } = await prepare();
    const proxy = await startConnectProxy();
    // The proxy alone knows the name: a request that goes past it fails.
    const url = downloads.url.replace('127.0.0.1', 'downloads.test');
    const proxies = readProxies({ HTTP_PROXY: proxy.url });
    await expect(stageOffer(host.upgrader('0.1.0', { url }))).rejects.toThrow('downloads.test');
    await stageOffer(host.upgrader('0.1.0', { url, proxies }));
    expect((await host.folder.load()).trial).toMatchObject({ version: '0.2.0' });
    expect(proxy.asked).toEqual([`GET ${url}/${SIGNATURE}`, `GET ${url}/${NAME}`]);
  });

  it('stores a signed executable and puts it on trial', async () => {
    const { host } = await prepare();
    await stageOffer(host.upgrader());
    const { trial } = await host.folder.load();
    expect(trial).toMatchObject({ version: '0.2.0', file: 'quarterdeck-agent-0.2.0', over: '0.1.0', starts: 0 });
    const file = host.folder.fileAt('quarterdeck-agent-0.2.0');
    expect(await readFile(file, 'utf8')).toBe(script('0.2.0'));
    expect((await stat(file)).mode & 0o777).toBe(0o700);
    expect(trial && (await host.folder.defectOf(trial))).toBeUndefined();
  });

  it('downloads only the signature to learn the offered version', async () => {
    const { downloads, host } = await prepare();
    expect(await host.upgrader().check(new AbortController().signal)).toMatchObject({ version: '0.2.0' });
    expect(downloads.requested).toEqual([SIGNATURE]);
  });

  it('accepts a signature of each trusted key', async () => {
    const { downloads, host } = await prepare();
    await stageOffer(host.upgrader('0.1.0', { keys: [makeKey(), downloads.key] }));
    expect((await host.folder.load()).trial?.version).toBe('0.2.0');
  });

  it('follows a redirect', async () => {
    const { downloads, host } = await prepare();
    downloads.files.set('elsewhere', script('0.2.0'));
    downloads.answers.set(NAME, (_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    await stageOffer(host.upgrader());
    expect((await host.folder.load()).trial?.version).toBe('0.2.0');
  });

  it('replaces a damaged state', async () => {
    const { host } = await prepare();
    await host.folder.save({ refused: [] });
    await writeFile(host.folder.fileAt('program.json'), '{"refused"');
    await stageOffer(host.upgrader());
    expect((await host.folder.load()).trial?.version).toBe('0.2.0');
  });
});

describe('an upgrade is refused', () => {
  it.each<[string, RegExp, (downloads: Downloads) => unknown]>([
    [
      'with a signature of a strange key',
      /from a key that this host does not trust/,
      ({ files }) => files.set(SIGNATURE, signatureOf(script('0.2.0'), commentOf('0.2.0'), makeKey())),
    ],
    [
      'with a signature of a strange key that has the id of a trusted one',
      /signature of the trusted comment is not valid/,
      ({ files, key }) => files.set(SIGNATURE, signatureOf(script('0.2.0'), commentOf('0.2.0'), makeKey(key.id))),
    ],
    [
      'with another trusted comment than the signed one',
      /signature of the trusted comment is not valid/,
      ({ files }) => files.set(SIGNATURE, String(files.get(SIGNATURE)).replace('version:0.2.0', 'version:0.3.0')),
    ],
    [
      'with the signature of another executable',
      /the file is not the one that was signed/,
      ({ files, key }) => files.set(SIGNATURE, signatureOf(script('0.3.0'), commentOf('0.3.0'), key)),
    ],
    [
      'with two halves of different signatures',
      /signature of the trusted comment is not valid/,
      ({ files, key }) => {
        const [mine, other] = ['0.2.0', '0.3.0'].map((version) =>
          readSignature(signatureOf(script(version), commentOf(version), key)),
        );
        if (mine !== undefined && other !== undefined) {
          files.set(SIGNATURE, writeSignature({ ...mine, ofFile: other.ofFile }, ''));
        }
      },
    ],
    [
      'with the signature of an executable for another processor',
      /signature is one of another file/,
      ({ files, key }) => {
        const comment = commentOf('0.2.0', 'quarterdeck-agent-linux-arm64');
        files.set(SIGNATURE, signatureOf(script('0.2.0'), comment, key));
      },
    ],
    [
      'without a version',
      /names no version/,
      ({ files, key }) => files.set(SIGNATURE, signatureOf(script('0.2.0'), `file:${NAME}`, key)),
    ],
    [
      'with a version that leads out of the folder',
      /names no version/,
      ({ files, key }) => files.set(SIGNATURE, signatureOf(script('0.2.0'), commentOf('../../0.2.0'), key)),
    ],
    [
      'with a signature that is cut off',
      /no signature of minisign/,
      ({ files }) => files.set(SIGNATURE, String(files.get(SIGNATURE)).slice(0, 150)),
    ],
    [
      'with a signature without prehash',
      /not one of a prehashed file/,
      ({ files }) =>
        files.set(
          SIGNATURE,
          String(files.get(SIGNATURE))
            .replace('\nRUR', '\nRWR')
            .replace('\nRUQ', '\nRWQ')
            .replace('\nRUS', '\nRWS')
            .replace('\nRUT', '\nRWT'),
        ),
    ],
    ['with an endless signature', /more than 4096 bytes/, ({ files }) => files.set(SIGNATURE, 'x'.repeat(5_000))],
    ['without a signature', /answers with status 404/, ({ files }) => files.delete(SIGNATURE)],
    [
      'with a changed executable',
      /not the one that was signed/,
      ({ files }) => files.set(NAME, `${script('0.2.0')}rm -rf /\n`),
    ],
    ['with an empty executable', /not the one that was signed/, ({ files }) => files.set(NAME, '')],
    [
      'with an executable that is cut off',
      /could not be downloaded \(ECONNRESET\)/,
      ({ answers }) =>
        answers.set(NAME, (_, response) => {
          response.writeHead(200, { 'content-length': 1000 });
          response.write('#!/bin/sh\n', () => response.destroy());
        }),
    ],
    [
      'with a redirect in a circle',
      /redirects more than 5 times/,
      ({ answers }) => answers.set(NAME, (_, response) => response.writeHead(302, { location: `/${NAME}` }).end()),
    ],
    [
      'with a redirect to a file',
      /redirects to an address that is not allowed/,
      ({ answers }) =>
        answers.set(NAME, (_, response) => response.writeHead(302, { location: 'file:///bin/sh' }).end()),
    ],
    [
      'with an executable that does not run',
      /does not run on this host/,
      (downloads) => downloads.offer('0.2.0', '\x7fELF'),
    ],
    [
      'with an executable that fails',
      /does not run on this host/,
      (downloads) => downloads.offer('0.2.0', '#!/bin/false\n'),
    ],
    [
      'with an executable of another version',
      /another version than 0\.2\.0/,
      (downloads) => downloads.offer('0.2.0', script('0.3.0')),
    ],
    ['to an older version', /0\.0\.9 is older than 0\.1\.0/, (downloads) => downloads.offer('0.0.9')],
    [
      'to a pre-release of the same version',
      /0\.1\.0-rc\.1 is older than 0\.1\.0/,
      (downloads) => downloads.offer('0.1.0-rc.1'),
    ],
    ['to the same version', /0\.1\.0 runs already/, (downloads) => downloads.offer('0.1.0')],
  ])('%s', async (_, reason, change) => {
    const { downloads, host } = await prepare();
    change(downloads);
    await expectRefusal(host, reason);
  });

  it('where nothing answers', async () => {
    const { host } = await prepare();
    const upgrader = host.upgrader('0.1.0', { url: 'http://127.0.0.1:9' });
    await expectRefusal(host, /could not be downloaded \(ECONNREFUSED\)/, stageOffer(upgrader));
  });

  it('at its deadline', async () => {
    const { downloads, host } = await prepare();
    const deadline = new AbortController();
    downloads.answers.set(NAME, (_, response) => {
      response.writeHead(200);
      response.write('#!/bin/sh\n', () => deadline.abort());
    });
    const upgrader = host.upgrader();
    const offer = await upgrader.check(deadline.signal);
    await expectRefusal(host, /could not be downloaded/, upgrader.stage(offer, { signal: deadline.signal }));
  });

  it('while another version is on trial', async () => {
    const { downloads, host } = await prepare();
    await stageOffer(host.upgrader());
    downloads.offer('0.3.0');
    await expect(stageOffer(host.upgrader())).rejects.toThrow(
      'version 0.2.0 is on trial until its first accepted report',
    );
    expect((await host.folder.load()).trial?.version).toBe('0.2.0');
  });

  it('to a version that was rolled back, unless by force', async () => {
    const { host } = await prepare();
    await host.folder.save({ refused: [{ version: '0.2.0', reason: 'crashed' }] });
    await expectRefusal(host, /0\.2\.0 was rolled back on this host: crashed/);
    await stageOffer(host.upgrader(), true);
    expect(await host.folder.load()).toMatchObject({ trial: { version: '0.2.0' }, refused: [] });
  });
});

it('takes an older version where that is allowed', async () => {
  const { downloads, host } = await prepare();
  downloads.offer('0.0.9');
  await stageOffer(host.upgrader('0.1.0', { allowOlder: true }));
  expect((await host.folder.load()).trial?.version).toBe('0.0.9');
});

it('closes the connection of a refused download', async () => {
  const { downloads, host } = await prepare();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  downloads.answers.set(SIGNATURE, (request, response) => {
    request.socket.once('close', () => resolve());
    const timer = setInterval(() => response.write('x'.repeat(2_000)), 1);
    onTestFinished(() => clearInterval(timer));
  });
  await expectRefusal(host, /more than 4096 bytes/);
  await closed;
});
