import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/new-folder.ts';
import { readConfig, readSettings } from './config.ts';

const folder = newFolder();
const secretFile = join(folder, 'secret');
writeFileSync(secretFile, 'a secret of the client\n');

/** Variables of a provider. */
const corp = (more: Record<string, string> = {}, name = 'CORP') =>
  Object.fromEntries(
    Object.entries({ ISSUER: 'https://id.example.com/realms/main', CLIENT_ID: 'quarterdeck', ...more }).map(
      ([key, value]) => [`QUARTERDECK_OIDC_${name}_${key}`, value],
    ),
  );
const problemOf = (env: Record<string, string>): string => {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('providers of the sign-in', () => {
  it('are read by their names, from the environment and the settings file', () => {
    const path = join(folder, 'quarterdeck.toml');
    writeFileSync(
      path,
      `oidc_lab_issuer = "http://127.0.0.1:8080"\noidc_lab_client_id = "lab"\noidc_lab_client_secret_file = ${JSON.stringify(secretFile)}\noidc_lab_scopes = ["openid", "groups"]\n`,
    );
    const more = {
      SCOPES: 'openid email,offline_access',
      ROLE_CLAIM: 'realm_access.roles',
      ROLE_MAP: 'sre=operator, ops/a=b=master,sre=viewer',
      ALLOW: 'hd=example.com,email=ann@example.com',
      SECOND_FACTOR: 'amr=mfa,acr=urn:example:loa:2',
    };
    const { providers } = readConfig({ ...corp(more, 'MY_CORP'), QUARTERDECK_CONFIG: path });
    expect(providers).toEqual([
      {
        name: 'lab',
        issuer: 'http://127.0.0.1:8080',
        clientId: 'lab',
        clientSecret: 'a secret of the client',
        scopes: ['openid', 'groups'],
        roleClaim: 'groups',
        roleMap: new Map(),
        allow: [],
        secondFactor: [],
      },
      {
        name: 'my_corp',
        issuer: 'https://id.example.com/realms/main',
        clientId: 'quarterdeck',
        clientSecret: undefined,
        scopes: ['openid', 'email', 'offline_access'],
        roleClaim: 'realm_access.roles',
        roleMap: new Map([
          ['sre', 'operator'],
          ['ops/a=b', 'master'],
        ]),
        allow: [
          { claim: 'hd', value: 'example.com' },
          { claim: 'email', value: 'ann@example.com' },
        ],
        secondFactor: [
          { claim: 'amr', value: 'mfa' },
          { claim: 'acr', value: 'urn:example:loa:2' },
        ],
      },
    ]);
    expect(readSettings(corp()).warnings).toEqual([]);
  });

  it('name all of their problems at once, and no secret', () => {
    const env = {
      ...corp({ ISSUER: 'http://id.example.com', CLIENT_SECRET: 'leaked', ROLE_MAP: 'sre=admin', SCOPES: 'email' }),
      ...corp({ CLIENT_ID: '', ALLOW: 'example.com', SECOND_FACTOR: 'hd=x' }, 'LAB'),
      QUARTERDECK_OIDC_CORP_ALOW: 'hd=example.com',
      QUARTERDECK_HOST: '0.0.0.0',
    };
    const problem = problemOf(env);
    for (const part of [
      'QUARTERDECK_OIDC_CORP_ALOW is no setting of a provider',
      'QUARTERDECK_OIDC_CORP_ISSUER gives "http://id.example.com"',
      'QUARTERDECK_OIDC_CORP_CLIENT_SECRET is a secret: put it into a file',
      'QUARTERDECK_OIDC_CORP_ROLE_MAP gives "sre=admin"',
      'QUARTERDECK_OIDC_CORP_SCOPES gives "email"',
      'QUARTERDECK_OIDC_LAB_CLIENT_ID gives not set',
      'QUARTERDECK_OIDC_LAB_ALLOW gives "example.com"',
      'QUARTERDECK_OIDC_LAB_SECOND_FACTOR gives "hd=x"',
      'needs QUARTERDECK_PUBLIC_URL',
    ]) {
      expect(problem).toContain(part);
    }
    expect(problem).not.toContain('leaked');
    expect(problem).not.toContain('\n');
  });

  it('are needed where only masters may use a password', () => {
    const masters = { QUARTERDECK_PASSWORD_LOGIN: 'masters' };
    expect(problemOf(masters)).toContain('QUARTERDECK_PASSWORD_LOGIN=masters needs a provider');
    expect(readConfig({ ...masters, ...corp() }).passwordLogin).toBe('masters');
    const reached = { QUARTERDECK_HOST: '0.0.0.0', QUARTERDECK_PUBLIC_URL: 'https://quarterdeck.example.com' };
    expect(problemOf({ ...corp(), ...reached })).toBe('');
  });
});
