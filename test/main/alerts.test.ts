import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { METRIC_NAMES } from '../../src/platform/metrics/metric-names.ts';
import { projectRoot } from '../support/project-files.ts';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

interface Board {
  uid: string;
  title: string;
  panels: { id: number; title: string; targets: { expr: string; legendFormat: string }[] }[];
}

const METRICS: Readonly<Record<string, { type: string; labels: readonly string[] }>> = METRIC_NAMES;
const inProject = (...path: string[]) => readFile(join(projectRoot, ...path), 'utf8');

async function rules(): Promise<Rule[]> {
  const file = parse(await inProject('deploy', 'prometheus', 'alerts.yaml')) as { groups: { rules: Rule[] }[] };
  return file.groups.flatMap((group) => group.rules);
}

async function boards(): Promise<Board[]> {
  const folder = join(projectRoot, 'deploy', 'grafana');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  return Promise.all(files.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Board));
}

/** What of an expression names no metric, or a label that its metric does not have. */
function unknownIn(expr: string): string[] {
  const used = [...expr.matchAll(/mba_(\w+)(?:\{([^}]*)\})?/g)];
  const unknown = used.flatMap(([, name = '', labels = '']) => {
    const metric = METRICS[name] ?? METRICS[name.replace(/_(bucket|count|sum)$/, '')];
    if (metric === undefined || (name in METRICS && metric.type === 'histogram')) return [name];
    const asked = [...labels.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
    return asked.filter((label) => !metric.labels.includes(label)).map((label) => `${name}{${label}}`);
  });
  // By which labels series are put together: some metric of the expression has them, or Prometheus itself.
  const own = new Set(['le', 'instance', ...used.flatMap(([, name = '']) => labelsOf(name))]);
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  return [...unknown, ...grouped.filter((label) => !own.has(label)).map((label) => `by ${label}`)];
}

function labelsOf(name: string): readonly string[] {
  return (METRICS[name] ?? METRICS[name.replace(/_(bucket|count|sum)$/, '')])?.labels ?? [];
}

describe('[C.metrics] the rules and dashboards that come along', () => {
  it('ask for metrics and labels that there are', async () => {
    const asked = [
      ...(await rules()).map(({ expr }) => expr),
      ...(await boards()).flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))),
    ];
    expect(asked.length).toBeGreaterThan(50);
    for (const expr of asked) {
      expect(expr, expr).toMatch(/mba_\w+/);
      expect({ expr, unknown: unknownIn(expr) }).toEqual({ expr, unknown: [] });
    }
    expect(unknownIn('max by (colour) (mba_owed{shape="round"}) > mba_nothing')).toEqual([
      ...['owed{shape}', 'nothing', 'by colour'],
    ]);
    expect(unknownIn('rate(mba_task_duration_seconds[5m])')).toEqual(['task_duration_seconds']);
  });

  it('ask for values of labels that the program knows', async () => {
    const source = await Promise.all(
      (await readdir(join(projectRoot, 'src'), { recursive: true }))
        .filter((file) => file.endsWith('.ts'))
        .map((file) => inProject('src', file)),
    );
    const code = source.join('\n');
    const values = (await rules())
      .flatMap(({ expr }) => [...expr.matchAll(/(?:=~|=)"([^"]+)"/g)].flatMap(([, value = '']) => value.split('|')))
      // An ad server's fault is called by its class.
      .map((value) =>
        /^(unreachable|misconfigured|broken)$/.test(value)
          ? `${value[0]?.toUpperCase() ?? ''}${value.slice(1)}`
          : value,
      );
    expect(values.length).toBeGreaterThan(4);
    expect(values.filter((value) => !new RegExp(`'${value}'|\\b${value}:`).test(code))).toEqual([]);
  });

  it('lead each to a place of docs/runbooks.md that says what it means, where to look and what ends it', async () => {
    const paper = await inProject('docs', 'runbooks.md');
    const places = new Map(
      paper
        .split(/^## /m)
        .slice(1)
        .map((part) => [part.slice(0, part.indexOf('\n')), part]),
    );
    const alerts = await rules();
    expect(alerts.map(({ alert }) => alert).sort()).toEqual([...places.keys()].sort());
    for (const { alert, labels, annotations } of alerts) {
      expect(annotations.runbook_url).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(places.get(alert)).toMatch(/- Look: [\s\S]+- Ends: /);
    }
  });

  it('have panels with a name each, of one data source that whoever imports them chooses', async () => {
    for (const { uid, title, panels } of await boards()) {
      expect(uid).toMatch(/^mba-/);
      expect(title).toMatch(/^Media buy agent: /);
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      expect(new Set(panels.map((panel) => panel.title)).size).toBe(panels.length);
      expect(JSON.stringify(panels.map((panel) => panel))).not.toMatch(/"uid":"(?!\$\{datasource\})/);
    }
  });

  it('show every metric that there is, and answer for every alert, on one of the dashboards', async () => {
    const shown = (await boards()).flatMap(({ panels }) =>
      panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    );
    const text = shown.join('\n');
    expect(Object.keys(METRICS).filter((name) => !text.includes(`mba_${name}`))).toEqual([]);
  });
});
