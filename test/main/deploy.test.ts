import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/main/config/settings.ts';
import { openMetricsPort } from '../../src/main/process/metrics-port.ts';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { projectRoot } from '../support/project-files.ts';
import { until } from '../support/until.ts';
import { runAgentCommand } from './support/cli.ts';

const inProject = (...path: string[]) => readFile(join(projectRoot, ...path), 'utf8');

/** What an environment may say besides settings of ours. */
const NODES_OWN = ['NODE_ENV'];
const isSetting = (name: string) => name in SETTINGS || NODES_OWN.includes(name);
/** A version in full, so that the same file is the same thing tomorrow. */
const PINNED = /^[\w./-]+:v?\d+\.\d+\.\d+(-[\w.-]+)?$/;

interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, unknown> | string[];
  healthcheck?: { test: string[] };
  networks?: string[];
  ports?: string[];
  read_only?: boolean;
  stop_grace_period?: string;
  volumes?: string[];
}

const PROGRAMS = ['server', 'worker', 'start', 'agent'];
const OURS = ['server-a', 'server-b', 'worker-a', 'worker-b'];
const BACKUP = 'backup';

describe('compose.yaml', () => {
  let text: string;
  let services: Record<string, Service>;
  let file: { services: Record<string, Service>; networks: object; volumes: object };
  beforeAll(async () => {
    text = await inProject('compose.yaml');
    file = parse(text, { merge: true }) as typeof file;
    ({ services } = file);
  });

  it('runs two servers and two workers, of settings that there are, which may write nothing but what is theirs', () => {
    for (const name of [...OURS, BACKUP]) {
      const one = services[name];
      expect(one, name).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '60s', init: true });
      expect(Object.keys(one?.environment ?? {}).filter((key) => !isSetting(key))).toEqual([]);
      expect(PROGRAMS).toContain(one?.command?.[0] ?? 'server');
      expect(one?.ports, 'only the proxy is reached from outside').toBeUndefined();
    }
  });

  it('names services, networks, volumes and files that there are, and images by their whole version', () => {
    for (const [name, one] of Object.entries(services)) {
      expect(one.image, name).toMatch(PINNED);
      const needed = Array.isArray(one.depends_on) ? one.depends_on : Object.keys(one.depends_on ?? {});
      expect(needed.filter((other) => !(other in services))).toEqual([]);
      expect((one.networks ?? []).filter((network) => !(network in file.networks))).toEqual([]);
      for (const volume of one.volumes ?? []) {
        const [from = ''] = volume.split(':');
        expect(from.startsWith('./') ? existsSync(join(projectRoot, from)) : from in file.volumes, volume).toBe(true);
      }
    }
  });

  it('holds no secret, refuses to start without one, and is filled in by a list of all that it asks for', async () => {
    const asked = [...text.matchAll(/\$\{(\w+)(:[?-][^}]*)?\}/g)];
    const needed = asked.filter(([, , how = '']) => how.startsWith(':?')).map(([, name = '']) => name);
    for (const name of ['DOMAIN', 'SECRET_KEY', 'OPERATOR_API_KEY', 'MONGO_PASSWORD', 'MONGO_KEY', 'REDIS_PASSWORD']) {
      expect(needed).toContain(name);
    }
    const example = await inProject('deploy', 'compose', 'env.example');
    const listed = [...example.matchAll(/^(\w+)=(.*)$/gm)];
    expect(needed.filter((name) => !listed.some(([, one]) => one === name))).toEqual([]);
    const names = new Set(asked.map(([, name]) => name));
    expect(listed.filter(([, name]) => !names.has(name))).toEqual([]);
    expect(listed.filter(([, name = '', value]) => needed.includes(name) && value !== '')).toEqual([]);
    for (const value of Object.values(services['server-a']?.environment ?? {})) {
      expect(value).not.toMatch(/:\/\/[^$]*:[^$@]+@/);
    }
  });

  it('keeps store and queue inside, and its proxy asks the servers there are at their own port', async () => {
    for (const name of ['mongo', 'redis']) expect(services[name]).toMatchObject({ networks: ['inside'] });
    expect(file.networks).toMatchObject({ inside: { internal: true } });
    const caddy = await inProject('deploy', 'compose', 'Caddyfile');
    const upstreams = /reverse_proxy (.+) \{/.exec(caddy)?.[1]?.split(' ') ?? [];
    expect(upstreams).toEqual(OURS.filter((name) => name.startsWith('server')).map((name) => `${name}:8080`));
    expect(caddy).toMatch(/health_uri \/readyz\n/);
    expect(caddy).toMatch(/flush_interval -1\n/);
    const prometheus = parse(await inProject('deploy', 'prometheus', 'prometheus.yml')) as {
      rule_files: string[];
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    expect(prometheus.scrape_configs[0]?.static_configs[0]?.targets).toEqual(OURS.map((name) => `${name}:9464`));
    for (const rules of prometheus.rule_files)
      expect(existsSync(join(projectRoot, 'deploy/prometheus', rules))).toBe(true);
    const { receivers, exporters, service } = parse(await inProject('deploy', 'compose', 'otel-collector.yaml')) as {
      receivers: { otlp: { protocols: { http: { endpoint: string } } } };
      exporters: object;
      service: { pipelines: { traces: { receivers: string[]; exporters: string[] } } };
    };
    expect(receivers.otlp.protocols.http.endpoint).toMatch(/:4318$/);
    expect(await inProject('deploy', 'compose', 'env.example')).toContain('http://otel-collector:4318');
    expect(Object.keys(services)).toContain('otel-collector');
    expect(service.pipelines.traces).toMatchObject({ receivers: ['otlp'], exporters: Object.keys(exporters) });
    expect(services['redis']?.command).toEqual(expect.arrayContaining(['--appendonly', 'noeviction']));
  });
});

describe('the image', () => {
  it('is built of files that there are, runs as nobody special, and starts a program of ours', async () => {
    const lines = (await inProject('Dockerfile')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const of = (instruction: string) =>
      lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
    for (const from of of('FROM')) expect(from.replace(/ AS \w+$/, '')).toMatch(PINNED);
    expect(new Set(of('FROM').map((from) => from.replace(/ AS \w+$/, ''))).size).toBe(1);
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    expect(last).toContain('USER node');
    expect(last.findIndex((line) => line === 'USER node')).toBeGreaterThan(
      last.findLastIndex((line) => /^(RUN|COPY)/.test(line)),
    );
    expect(of('ADD')).toEqual([]);
    for (const pair of of('ENV').flatMap((given) => given.split(' ')))
      expect(isSetting(pair.split('=')[0] ?? '')).toBe(true);
    const [run = ''] = of('RUN');
    const { scripts } = JSON.parse(await inProject('package.json')) as { scripts: Record<string, string> };
    for (const [, script = ''] of run.matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty(script);
    for (const word of [...of('ENTRYPOINT'), ...of('HEALTHCHECK')].join(' ').matchAll(/"([^"]+\.mjs)"/g))
      expect(existsSync(join(projectRoot, word[1] ?? ''))).toBe(true);
    expect(PROGRAMS).toContain((JSON.parse(of('CMD')[0] ?? '[]') as string[])[0]);
    const ignored = (await inProject('.dockerignore')).split('\n');
    for (const path of ['.env', 'data', '**/node_modules', '.git']) expect(ignored).toContain(path);
  });
});

describe('what is asked whether a process is well', () => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent('sqlite', { working: false });
  });
  afterAll(() => agent.stop());

  const check = (args: readonly string[], env: Record<string, string> = {}) => {
    const command = [join(projectRoot, 'deploy', 'healthcheck.mjs'), ...args];
    const child = spawn(process.execPath, command, { env: { ...process.env, ...env }, stdio: 'ignore' });
    return new Promise<number | null>((resolve) => child.on('exit', resolve));
  };

  it('is a server’s /readyz and a worker’s own port, by the command of the image', async () => {
    // It is not well while this process stands still.
    await until(async () => (await check([], { PORT: new URL(agent.baseUrl).port })) === 0);
    // By a clock that stands still its loop is never held up.
    const port = await openMetricsPort({ metricsPort: 0, metricsHost: '127.0.0.1' }, createMetrics(), () => 0);
    if (port === undefined) throw new Error('no port was opened');
    const { origin } = new URL(port.url);
    await until(async () => (await check([`${origin}/healthz`])) === 0);
    expect(await check([`${origin}/nothing`])).toBe(1);
    await port.stop();
    expect(await check([`${origin}/healthz`])).toBe(1);
  });

  it('answers every probe of the manifests', async () => {
    const probes = (await manifests())
      .flatMap((one) => containersOf(one))
      .flatMap((container) =>
        ['startupProbe', 'readinessProbe', 'livenessProbe'].flatMap((name) => {
          const probe = container[name] as { httpGet: { path: string; port: string } } | undefined;
          return probe === undefined ? [] : [probe.httpGet];
        }),
      );
    expect(probes.length).toBe(6);
    for (const { path, port } of probes) {
      if (port === 'http') await until(async () => (await fetch(`${agent.baseUrl}${path}`)).status === 200);
      else expect([port, path]).toEqual(['metrics', expect.stringMatching(/^\/(healthz|readyz)$/)]);
    }
  });
});

type Manifest = Record<string, unknown> & { kind: string; metadata: { name: string } };

async function manifests(): Promise<Manifest[]> {
  const folder = join(projectRoot, 'deploy', 'kubernetes');
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) =>
    parseAllDocuments(text).map((document) => {
      expect('errors' in document ? document.errors : []).toEqual([]);
      return (document as { toJS(): unknown }).toJS() as Manifest;
    }),
  );
}

interface PodSpec {
  terminationGracePeriodSeconds?: number;
  securityContext: object;
  containers: Record<string, unknown>[];
  volumes: { name: string }[];
}

interface Templated {
  template?: { spec?: PodSpec };
}

function podOf(one: Manifest): PodSpec | undefined {
  const { spec } = one as { spec?: Templated & { jobTemplate?: { spec: Templated } } };
  return (spec?.jobTemplate?.spec ?? spec)?.template?.spec;
}

function containersOf(one: Manifest): Record<string, unknown>[] {
  return podOf(one)?.containers ?? [];
}

describe('the manifests for Kubernetes', () => {
  it('run two of each, as nobody special, with probes, an end in time, and nothing that is not there', async () => {
    const all = await manifests();
    const named = (kind: string) => all.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
    const deployments = all.filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toHaveLength(2);
    for (const one of deployments) {
      const { spec } = one as unknown as {
        spec: { replicas: number; selector: { matchLabels: object }; template: { metadata: { labels: object } } };
      };
      expect(spec.replicas).toBe(2);
      expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
      expect(podOf(one)).toMatchObject({ terminationGracePeriodSeconds: 60 });
    }
    for (const one of all.filter((each) => podOf(each) !== undefined)) {
      const pod = podOf(one);
      expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true } });
      for (const container of containersOf(one)) {
        expect(container['image']).toMatch(PINNED);
        expect(PROGRAMS).toContain((container['args'] as string[])[0]);
        expect(container['securityContext']).toMatchObject({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
        });
        expect(container['resources']).toMatchObject({ requests: {}, limits: {} });
        const volumes = pod?.volumes.map(({ name }) => name) ?? [];
        for (const { name } of container['volumeMounts'] as { name: string }[]) expect(volumes).toContain(name);
        for (const from of container['envFrom'] as Record<string, { name: string }>[]) {
          const [[kind, { name }] = ['', { name: '' }]] = Object.entries(from);
          expect(named(kind === 'configMapRef' ? 'ConfigMap' : 'Secret')).toContain(name);
        }
      }
    }
    expect(named('PodDisruptionBudget').sort()).toEqual(named('Deployment').sort());
    expect(named('Service')).toEqual(['media-buy-agent']);
    expect(named('CronJob')).toEqual(['media-buy-agent-backup']);
  });

  it('set what there is to set, and no secret', async () => {
    for (const one of await manifests()) {
      const given = { ...(one['data'] as object | undefined), ...(one['stringData'] as object | undefined) };
      expect(Object.keys(given).filter((name) => !isSetting(name))).toEqual([]);
      if (one.kind === 'Secret') expect(Object.values(given).filter((value) => value !== '')).toEqual([]);
    }
  });
});

/** The words after the script that a unit starts. */
function startOf(unit: string): string[] | undefined {
  return /^ExecStart=\/usr\/bin\/node scripts\/run\.mjs (.+)$/m.exec(unit)?.[1]?.split(' ');
}

describe('the backup of each day', () => {
  it('is the same words with systemd, Compose and Kubernetes, which make one of the store of the settings', async () => {
    const unit = await inProject('deploy', 'systemd', 'media-buy-agent-backup.service');
    const { services } = parse(await inProject('compose.yaml'), { merge: true }) as {
      services: Record<string, Service>;
    };
    const job = (await manifests()).find(({ kind }) => kind === 'CronJob');
    const given = [startOf(unit), services[BACKUP]?.command, job && containersOf(job)[0]?.['args']] as string[][];
    const folder = await mkdtemp(join(tmpdir(), 'media-buy-agent-backups-'));
    const agent = await startTestAgent('sqlite', { working: false });
    for (const [program, ...words] of given) {
      expect(program).toBe('agent');
      const to = words.indexOf('--to') + 1;
      expect(words[to]).toMatch(/\/backups(\/media-buy-agent)?$/);
      const { status, stderr } = await runAgentCommand(words.with(to, folder), agent.env);
      expect([status, stderr]).toEqual([0, '']);
      for (const name of await readdir(folder)) await rm(join(folder, name));
    }
    await agent.stop();
    await rm(folder, { recursive: true, force: true });
    expect(await inProject('deploy', 'systemd', 'media-buy-agent.target')).toContain('media-buy-agent-backup.timer');
    expect(await inProject('Dockerfile')).toMatch(/^RUN install .* \/backups$/m);
  });
});

describe('the units for systemd', () => {
  it('start a program of ours with settings that there are', async () => {
    const folder = join(projectRoot, 'deploy', 'systemd');
    const names = await readdir(folder);
    for (const name of names) {
      const unit = await readFile(join(folder, name), 'utf8');
      const program = startOf(unit)?.[0];
      if (name.endsWith('.service')) expect(PROGRAMS).toContain(program);
      for (const [, setting = ''] of unit.matchAll(/^Environment=(\w+)=/gm)) expect(isSetting(setting)).toBe(true);
      for (const [, wanted = ''] of unit.matchAll(/(media-buy-agent[\w-]*@?)\d?\.service/g))
        expect(names).toContain(`${wanted}.service`);
    }
  });
});
