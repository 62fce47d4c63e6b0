/** No attempt to change something is taken for a read, before any server is asked. */
import { expect, test } from 'vitest';
import { parseRequest } from '../../../kinds/index.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { ATTACKS } from './test/attacks.ts';

test('there are many, each of its own', () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(30);
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
});

test.each(ATTACKS)('$name: $because', ({ request }) => {
  try {
    expect(parseRequest('redis', request as Json).mode).toBe('write');
  } catch (thrown) {
    // What is no request at all does nothing either.
    expect(thrown).toBeInstanceOf(GatewayError);
    expect(thrown).toMatchObject({ code: 'BAD_REQUEST' });
  }
});
