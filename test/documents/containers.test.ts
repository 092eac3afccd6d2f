// The files with which containers are built and run: they fit their schema, each other, and the server.
import { readFileSync } from 'node:fs';
import { StatefulSet } from 'kubernetes-models/apps/v1';
import { Service } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig, SETTINGS } from '../../apps/server/src/settings/config.ts';
import { nonEmpty } from '../non-empty.ts';
import { ROOT } from './documents.ts';
import { problemsOf } from './shell-commands.ts';

const FOLDER = `${ROOT}packaging/container/`;
const read = (name: string) => readFileSync(FOLDER + name, 'utf8');

const containerfile = read('Containerfile');
/** The arguments of an instruction of the last stage. */
const instruction = (name: string): string[] =>
  [...containerfile.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].flatMap(([, text = '']) => text.split(' '));
const user = Number(instruction('USER')[0]?.split(':')[0]);
const { port, syslogPort } = readConfig({});
const apiPaths = Object.keys((JSON.parse(readFileSync(`${ROOT}docs/openapi.json`, 'utf8')) as { paths: object }).paths);

/** Checks that variables are settings with valid values, and that no secret is one of them. */
function expectSettings(variables: Readonly<Record<string, string>>): void {
  const plain = SETTINGS.filter(({ secret }) => secret !== true).map(({ name }) => name);
  const files = SETTINGS.map(({ name }) => `${name}_FILE`);
  expect(Object.keys(variables).filter((name) => ![...plain, ...files].includes(name))).toEqual([]);
  const values = Object.entries(variables).filter(([name, value]) => plain.includes(name) && !value.startsWith('${'));
  readConfig(Object.fromEntries(values));
}

describe('Containerfile', () => {
  it('has the labels of the package', () => {
    const { repository, license } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
      repository: { url: string };
      license: string;
    };
    const label = (name: string) =>
      new RegExp(`org\\.opencontainers\\.image\\.${name}="([^"]*)"`).exec(containerfile)?.[1];
    expect([label('source'), label('licenses')]).toEqual([repository.url, license]);
  });

  it('names the ports of the server, and a command that exists as its health check', () => {
    expect(instruction('EXPOSE')).toEqual([`${port}/tcp`, `${syslogPort}/tcp`, `${syslogPort}/udp`]);
    const [, command = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(containerfile) ?? [];
    expect(problemsOf((JSON.parse(command) as string[]).join(' '))).toEqual([]);
  });

  it('sets settings that exist', () => {
    const names = [...containerfile.matchAll(/\b(QUARTERDECK_\w+)=(\S+)/g)];
    expect(names).not.toEqual([]);
    expectSettings(Object.fromEntries(names.map(([, name = '', value = '']) => [name, value])));
  });
});

describe('kubernetes.yaml', () => {
  const [service, set] = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS()) as [
    ConstructorParameters<typeof Service>[0] & object,
    ConstructorParameters<typeof StatefulSet>[0] & object,
  ];
  const pod = set.spec?.template.spec;
  const container = pod?.containers[0];
  const variables = Object.fromEntries((container?.env ?? []).map(({ name, value = '' }) => [name, value]));

  it('fits the schema of Kubernetes', () => {
    new Service(service).validate();
    new StatefulSet(set).validate();
    const wrong = { ...set, spec: { ...set.spec, replicas: 'one' } } as unknown as typeof set;
    expect(() => new StatefulSet(wrong).validate()).toThrow('replicas');
  });

  it('sets settings that exist, and no variables of services', () => {
    expectSettings(variables);
    expect(pod?.enableServiceLinks).toBe(false);
  });

  it('has the ports of the server, for the service and for probes of paths that exist', () => {
    const ports = container?.ports ?? [];
    expect(ports.map(({ containerPort, protocol }) => `${containerPort}/${protocol?.toLowerCase()}`)).toEqual(
      instruction('EXPOSE'),
    );
    const names = ports.map(({ name }) => name);
    expect(service.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(names);
    const { startupProbe, readinessProbe, livenessProbe } = container ?? {};
    for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
      expect(apiPaths).toContain(probe?.httpGet?.path);
      expect(names).toContain(probe?.httpGet?.port);
    }
    expect(readinessProbe?.httpGet?.path).toBe('/readyz');
    expect(livenessProbe?.httpGet?.path).toBe('/healthz');
  });

  it('selects its pod, which has the volumes that it mounts', () => {
    const labels = set.spec?.template.metadata?.labels;
    expect([service.spec?.selector, set.spec?.selector.matchLabels]).toEqual([labels, labels]);
    expect(set.spec?.serviceName).toBe(service.metadata?.name);
    const volumes = [...(set.spec?.volumeClaimTemplates ?? []), ...(pod?.volumes ?? [])].map((volume) =>
      'metadata' in volume ? volume.metadata?.name : (volume as { name: string }).name,
    );
    expect(container?.volumeMounts?.map(({ name }) => name)).toEqual(volumes);
    const folders = container?.volumeMounts?.map(({ mountPath }) => mountPath) ?? [];
    expect(folders).toContain(instruction('VOLUME')[0]);
    expect(folders).toContain(variables['QUARTERDECK_ADMIN_PASSWORD_FILE']?.replace(/\/[^/]*$/, ''));
  });

  it('waits for the drain, and runs as the user of the image', () => {
    const stopS = readConfig(variables && { QUARTERDECK_DRAIN_S: variables['QUARTERDECK_DRAIN_S'] ?? '' }).drainS + 15;
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(stopS);
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: user, fsGroup: user });
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('leaves the image to the person who applies it', () => {
    expect(container?.image).toBe('IMAGE');
  });
});

interface ComposeService extends Readonly<Partial<Record<'secrets' | 'volumes' | 'ports', readonly string[]>>> {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks: readonly string[] | Readonly<Record<string, { ipv4_address?: string }>>;
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly healthcheck: { readonly test: readonly string[] };
}

interface Compose {
  readonly services: Readonly<Record<'database' | 'server' | 'proxy', ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly ipam?: { config: [{ subnet: string }] } }>>;
  readonly volumes: object;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
  const { server, proxy, database } = compose.services;
  const services = Object.entries(compose.services);
  const proxyConf = read('compose/proxy.conf');

  it.each(nonEmpty(services))('confines %s, checks its health and leaves its image to a variable', (_name, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.healthcheck.test[0]).toBe('CMD');
    // A default names one version.
    expect(service.image).toMatch(/^\$\{\w+_IMAGE:(\?.+|-[\w./-]+:\d[\w.-]*)\}$/);
  });

  it.each(nonEmpty(services))('defines what %s uses', (_name, service) => {
    const used = (kind: 'networks' | 'secrets', names: readonly string[]) =>
      expect(Object.keys(compose[kind])).toEqual(expect.arrayContaining([...names]));
    used('secrets', service.secrets ?? []);
    used('networks', Array.isArray(service.networks) ? service.networks : Object.keys(service.networks));
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':');
      if (from.startsWith('./')) read(from);
      else expect(Object.keys(compose.volumes)).toContain(from);
    }
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect([Object.keys(compose.services), condition]).toEqual([expect.arrayContaining([other]), 'service_healthy']);
    }
  });

  it.each(nonEmpty(services))('gives secrets to %s in files', (_name, { environment = {}, secrets = [] }) => {
    const files = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
    for (const [, path] of files) expect(secrets).toContain(path.replace('/run/secrets/', ''));
    expect(Object.keys(environment).filter((name) => /PASSWORD$|_URL$|KEY$/.test(name))).toEqual(
      'QUARTERDECK_PUBLIC_URL' in environment ? ['QUARTERDECK_PUBLIC_URL'] : [],
    );
  });

  it('sets settings that exist, and asks the server with a command that exists', () => {
    expectSettings(server.environment ?? {});
    expect(problemsOf(server.healthcheck.test.slice(1).join(' '))).toEqual([]);
    expect(database.environment).toMatchObject({ POSTGRES_USER: 'quarterdeck', POSTGRES_DB: 'quarterdeck' });
  });

  it('trusts the proxy alone, at an address of their network', () => {
    const address = (service: ComposeService) =>
      (service.networks as Record<string, { ipv4_address?: string }>)['front'];
    const own = address(proxy)?.ipv4_address;
    expect(server.environment?.['QUARTERDECK_TRUSTED_PROXIES']).toBe(own);
    const [prefix = ''] = compose.networks['front']?.ipam?.config[0].subnet.split('0/') ?? [];
    for (const service of [proxy, server]) expect(address(service)?.ipv4_address).toContain(prefix);
  });

  it('publishes the ports of syslog and of the proxy', () => {
    expect(server.ports).toEqual([`${syslogPort}:${syslogPort}/tcp`, `${syslogPort}:${syslogPort}/udp`]);
    const [, listens] = /listen (\d+) ssl;/.exec(proxyConf) ?? [];
    expect(proxy.ports).toEqual([`443:${listens}/tcp`]);
    expect(proxyConf).toContain(`server server:${port};`);
    expect(proxy.healthcheck.test.at(-1)).toBe(`https://127.0.0.1:${listens}/healthz`);
    const files = [...proxyConf.matchAll(/\/run\/secrets\/([\w-]+)/g)].map(([, name]) => name);
    expect(files).toEqual(proxy.secrets);
  });
});
