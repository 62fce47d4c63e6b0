/** Metrics of several runtimes: nothing is summed, nothing is lost. */
import { expect, test } from 'vitest';
import { RequestMetrics } from '../metrics.ts';
import { allMetrics } from './all-metrics.ts';

const HEAD = ['# HELP calls_total Calls.', '# TYPE calls_total counter'];
const GAUGE = ['# HELP now_seconds Now.', '# TYPE now_seconds gauge'];

test('each series says of which runtime it is, below one head of its metric', () => {
  const one = [...HEAD, 'calls_total{code="OK",route="/a{b}"} 3', ...GAUGE, 'now_seconds 1.5', ''];
  const two = [...HEAD, ...GAUGE, 'now_seconds 2', ''];
  const all = allMetrics([
    { name: '1', text: one.join('\n') },
    { name: '2', text: two.join('\n') },
  ]);
  expect(all.split('\n')).toEqual([
    ...HEAD,
    'calls_total{runtime="1",code="OK",route="/a{b}"} 3',
    ...GAUGE,
    'now_seconds{runtime="1"} 1.5',
    'now_seconds{runtime="2"} 2',
    '',
  ]);
});

test('every line of the metrics of a runtime is there', () => {
  const metrics = new RequestMetrics();
  metrics.begin(0);
  metrics.count({ method: 'GET', route: '/healthz', status: 200, seconds: 1, timing: { node: 2 } });
  const text = metrics.text();
  const all = allMetrics([{ name: '1', text }]);
  const without = all.replaceAll('runtime="1",', '').replaceAll('{runtime="1"}', '');
  expect(without).toBe(text);
});
