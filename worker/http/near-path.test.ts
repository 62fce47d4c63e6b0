/** Which path a misspelt one means. */
import { expect, test } from 'vitest';
import { nearPath } from './near-path.ts';

const PATTERNS = [
  '/api/v1/endpoints',
  '/api/v1/endpoints/:endpoint',
  '/api/v1/endpoints/:endpoint/read',
  '/api/v1/endpoints/:endpoint/schema',
  '/api/v1/transactions/:transaction/commit',
  '/hooks/:org/:path{[\\s\\S]+}',
];

test.each([
  ['/api/v1/endpoints/demo/raed', '/api/v1/endpoints/demo/read'],
  ['/api/v1/endpoints/mine/shcema', '/api/v1/endpoints/mine/schema'],
  ['/api/v1/transactions/t-1/comit', '/api/v1/transactions/t-1/commit'],
  ['/api/v1/endpionts/demo/read', '/api/v1/endpoints/demo/read'],
  ['/api/v1/endpionts/demo/raed', undefined],
  ['/api/v1/endpoints//raed', undefined],
  ['/api/v1/endpoints/demo/delete', undefined],
  [`/api/v1/endpoints/${'x'.repeat(600)}/raed`, undefined],
])('%s', (path, meant) => {
  expect(nearPath(path, PATTERNS)).toBe(meant);
});
