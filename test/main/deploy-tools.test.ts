import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { METRIC_NAMES } from '../../src/platform/metrics/metric-names.ts';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import type { Metrics } from '../../src/platform/metrics/metrics.ts';
import { projectRoot } from '../support/project-files.ts';

const deploy = (...path: string[]) => join(projectRoot, 'deploy', ...path);
const PROMETHEUS = deploy('prometheus');
const lacks = (program: string) => spawnSync(program, ['--help'], { stdio: 'ignore' }).error !== undefined;

interface Rules {
  groups: { rules: { alert: string; expr: string; for?: string }[] }[];
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'media-buy-agent-deploy-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a program says of its input, without what would let it touch anything but the test's own folder. */
function run(program: string, args: readonly string[], options: { input?: string; env?: Record<string, string> } = {}) {
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, ...options.env };
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', ...options, env });
  return { status, stdout, stderr };
}

async function readRules(): Promise<Rules> {
  return parse(await readFile(join(PROMETHEUS, 'alerts.yaml'), 'utf8')) as Rules;
}

describe('[C.metrics] the rules for alerts, by their cases', () => {
  it('have one each', async () => {
    const { tests } = parse(await readFile(join(PROMETHEUS, 'alerts.test.yaml'), 'utf8')) as {
      tests: { alert_rule_test: { alertname: string }[] }[];
    };
    const tried = tests.flatMap((one) => one.alert_rule_test.map(({ alertname }) => alertname));
    const { groups } = await readRules();
    expect([...new Set(tried)]).toEqual(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)));
  });

  describe.skipIf(lacks('promtool'))('(it needs promtool)', () => {
    const cases = () => run('promtool', ['test', 'rules', join(PROMETHEUS, 'alerts.test.yaml')]);

    /** The alerts whose cases fail where each rule is another. */
    async function caught(change: (rule: Rules['groups'][0]['rules'][0]) => void) {
      const changed = await readRules();
      const before = await readRules();
      const rules = changed.groups.flatMap((group) => group.rules);
      rules.forEach(change);
      await cp(join(PROMETHEUS, 'alerts.test.yaml'), join(folder, 'alerts.test.yaml'));
      await writeFile(join(folder, 'alerts.yaml'), stringify(changed));
      const { stderr, stdout } = run('promtool', ['test', 'rules', join(folder, 'alerts.test.yaml')]);
      const old = before.groups.flatMap((group) => group.rules);
      return {
        changed: rules.filter((rule, i) => JSON.stringify(rule) !== JSON.stringify(old[i])).map(({ alert }) => alert),
        caught: rules
          .map(({ alert }) => alert)
          .filter((alert) => new RegExp(`alertname: ?${alert},`).test(stdout + stderr)),
      };
    }

    it('fire after their time, with what they say, and not below their threshold', () => {
      expect(cases()).toMatchObject({ status: 0, stderr: '' });
    });

    it('have a case that fails where the threshold is nearer, where the time is less, and where what is missing is well', async () => {
      const nearer = await caught((rule) => {
        rule.expr = rule.expr.replace(/(==|>|<) ([\d.]+)(?= or |$)/, (_, sign: string, value: string) => {
          if (sign === '<') return `< ${String(Number(value) * 1.1)}`;
          return sign === '==' || value === '0' ? '>= 0' : `> ${String(Number(value) * 0.9)}`;
        });
      });
      const { groups } = await readRules();
      const rules = groups.flatMap((group) => group.rules);
      expect(nearer.changed).toEqual(rules.map(({ alert }) => alert));
      expect(nearer.caught).toEqual(nearer.changed);
      const sooner = await caught((rule) => delete rule.for);
      expect(sooner.changed.length).toBeGreaterThan(8);
      expect(sooner.caught).toEqual(sooner.changed);
      const silent = await caught((rule) => (rule.expr = rule.expr.replace(/ or (absent|vector)\(\w+\)/, '')));
      expect(silent.changed).toEqual(['AgentNotReady', 'WebhookSuccess', 'BackupOld']);
      expect(silent.caught).toEqual(silent.changed);
    });
  });
});

describe.skipIf(lacks('promtool'))('what Prometheus is given (it needs promtool)', () => {
  it('is a configuration and rules that it takes', () => {
    const checked = run('promtool', ['check', 'config', '--lint-fatal', join(PROMETHEUS, 'prometheus.yml')]);
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    expect(checked.stdout).toMatch(/SUCCESS: \d+ rules found/);
  });

  it('[C.metrics] is asked by the dashboards in words that it understands', async () => {
    const names = (await readdir(deploy('grafana'))).filter((name) => name.endsWith('.json'));
    const boards = await Promise.all(names.map((name) => readFile(deploy('grafana', name), 'utf8')));
    const asked = boards
      .flatMap((text) => (JSON.parse(text) as { panels: { targets: { expr: string }[] }[] }).panels)
      .flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const rules = asked.map((expr, i) => ({ record: `asked_${i}`, expr }));
    const file = join(folder, 'asked.yaml');
    await writeFile(file, stringify({ groups: [{ name: 'asked', rules }] }));
    const checked = run('promtool', ['check', 'rules', file]);
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    expect(checked.stdout).toContain(`SUCCESS: ${asked.length} rules found`);
  });

  it('[C.metrics] is text of every metric that it reads and has nothing against, whatever a label says', async () => {
    const metrics = createMetrics() as unknown as AnyMetrics;
    for (const [name, { type, labels }] of Object.entries(METRIC_NAMES)) {
      const given = Object.fromEntries(labels.map((label) => [label, 'a "quoted" \\ and\nbroken ${value} é']));
      if (type === 'gauge') metrics.gauge(name, () => [{ labels: given, value: 1 }]);
      else metrics[type === 'counter' ? 'add' : 'observe'](name, given, 1);
    }
    const text = await metrics.text();
    for (const name of Object.keys(METRIC_NAMES)) expect(text).toContain(`\n# TYPE mba_${name} `);
    expect(run('promtool', ['check', 'metrics'], { input: text })).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

/** As it is asked where only the names are known. */
type AnyMetrics = Pick<Metrics, 'text'> &
  Record<'add' | 'observe' | 'gauge', (name: string, ...given: unknown[]) => void>;

describe.skipIf(lacks('caddy'))('the proxy’s configuration (it needs caddy)', () => {
  const file = deploy('compose', 'Caddyfile');
  const given = { env: { DOMAIN: 'agent.example' } };

  it('is one that Caddy takes, as it would write it', async () => {
    expect(run('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], given)).toMatchObject({ status: 0 });
    expect(run('caddy', ['fmt', file]).stdout).toBe(await readFile(file, 'utf8'));
  });

  it('leads one name, by TLS, to two servers whose readiness it asks for, and passes streams on as they come', () => {
    const { stdout } = run('caddy', ['adapt', '--adapter', 'caddyfile', '--config', file], given);
    const { servers } = (JSON.parse(stdout) as { apps: { http: { servers: Record<string, object> } } }).apps.http;
    const handlers = [
      { handler: 'headers', response: { set: { 'Strict-Transport-Security': ['max-age=31536000'] } } },
      {
        ...{ handler: 'reverse_proxy', flush_interval: -1, health_checks: { active: { uri: '/readyz' } } },
        upstreams: [{ dial: 'server-a:8080' }, { dial: 'server-b:8080' }],
      },
    ];
    const handle = [{ routes: [{ handle: handlers }] }];
    expect(Object.values(servers)).toMatchObject([
      { listen: [':443'], routes: [{ match: [{ host: ['agent.example'] }], handle }] },
    ]);
  });
});

describe.skipIf(lacks('systemd-analyze'))('the units for systemd (it needs systemd-analyze)', () => {
  it('are right as far as systemd itself can tell', async () => {
    const units = join(folder, 'media-buy-agent-units');
    await cp(deploy('systemd'), units, { recursive: true });
    for (const name of await readdir(units)) {
      const unit = await readFile(join(units, name), 'utf8');
      // Node is where it is here; of a template, one that is started of it is looked at.
      for (const to of new Set([name, name.replace('@.', '@1.')]))
        await writeFile(join(units, to), unit.replaceAll('/usr/bin/node', process.execPath));
    }
    const paths = (await readdir(units)).filter((name) => !name.includes('@.')).map((name) => join(units, name));
    const { status, stderr } = run('systemd-analyze', ['verify', '--man=no', ...paths], {
      env: { SYSTEMD_UNIT_PATH: `${units}:` },
    });
    const ours = stderr.split('\n').filter((line) => line.includes('media-buy-agent'));
    expect({ status, ours }).toEqual({ status: 0, ours: [] });
  });
});
