import { describe, expect, it } from 'vitest';
import { METRIC_NAMES } from '../../../src/platform/metrics/metric-names.ts';
import { createMetrics } from '../../../src/platform/metrics/metrics.ts';

describe('metrics', () => {
  it('are shown in the text format of Prometheus', async () => {
    const metrics = createMetrics();
    metrics.add('webhook_attempts_total', { mode: 'rfc9421', outcome: 'success' });
    metrics.add('webhook_attempts_total', { outcome: 'success', mode: 'rfc9421' }, 2);
    metrics.observe('webhook_phase_seconds', { phase: 'dns' }, 0.004);
    metrics.observe('webhook_phase_seconds', { phase: 'dns' }, 0.3);
    metrics.observe('webhook_phase_seconds', { phase: 'dns' }, 99);
    metrics.gauge('webhook_pending', () => [{ labels: {}, value: 7 }]);
    metrics.gauge('up', () => Promise.reject(new Error('away')));
    metrics.gauge('build_info', () => [{ labels: { version: 'a"b\\c\nd', node: 'v20' }, value: 1 }]);
    const text = await metrics.text();
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        '# TYPE mba_webhook_attempts_total counter',
        'mba_webhook_attempts_total{mode="rfc9421",outcome="success"} 3',
        '# TYPE mba_webhook_phase_seconds histogram',
        'mba_webhook_phase_seconds_bucket{phase="dns",le="0.005"} 1',
        'mba_webhook_phase_seconds_bucket{phase="dns",le="0.5"} 2',
        'mba_webhook_phase_seconds_bucket{phase="dns",le="15"} 2',
        'mba_webhook_phase_seconds_bucket{phase="dns",le="+Inf"} 3',
        'mba_webhook_phase_seconds_count{phase="dns"} 3',
        'mba_webhook_pending 7',
        'mba_build_info{version="a\\"b\\\\c\\nd",node="v20"} 1',
      ]),
    );
    expect(text).not.toContain('mba_up');
    expect(text.endsWith('\n')).toBe(true);
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(# (HELP|TYPE) mba_\w+ .+|mba_\w+(\{(\w+="([^"\\\n]|\\.)*",?)+\})? [\d.e+-]+)$/);
    }
  });

  it('never have more than 500 label sets each, whatever clients send', async () => {
    const metrics = createMetrics();
    for (let i = 0; i < 2_000; i++) metrics.add('a2a_calls_total', { skill: `s${i}`, wire: '1.0', outcome: 'ok' });
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('mba_a2a_calls_total{'));
    expect(lines).toHaveLength(501);
    expect(lines.at(-1)).toBe('mba_a2a_calls_total{skill="other",wire="1.0",outcome="ok"} 1500');
  });

  it('have no organization, URL or id for a label', () => {
    const labels = new Set(Object.values(METRIC_NAMES).flatMap((metric): readonly string[] => metric.labels));
    expect([...labels].filter((label) => /org|buyer|url|host|destination|_id|^id$|key/.test(label))).toEqual([]);
  });
});
