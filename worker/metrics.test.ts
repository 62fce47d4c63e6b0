/** What the gateway counts of requests. */
import { expect, test } from 'vitest';
import { RequestMetrics } from './metrics.ts';

test('a node that lies about the time of its backend spoils no sum', () => {
  const metrics = new RequestMetrics();
  for (const backend of [Number.NaN, -5, 1e18, 1_000]) {
    const request = { method: 'POST', route: '/read', status: 200, seconds: 2 };
    metrics.count({ ...request, timing: { backend } });
  }
  const told = metrics.text().match(/^gateway_request_part_seconds_(?:sum|count).*$/gm);
  expect(told).toEqual([
    'gateway_request_part_seconds_sum{part="backend"} 3',
    'gateway_request_part_seconds_count{part="backend"} 2',
  ]);
});
