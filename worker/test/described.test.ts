/** That a reply which is not described fails the test that reads it. */
import { expect, test } from 'vitest';
import { demandDescribed } from './described.ts';
import { failure } from './gateway.ts';

const removed = { status: 'success', data: { message: 'Endpoint shop deleted' } };

test('takes results and errors that an operation declares', () => {
  demandDescribed('DELETE', '/endpoints/shop?x=1', { status: 200, body: removed });
  const body = failure('ENDPOINT_NOT_FOUND', 'no');
  demandDescribed('DELETE', '/endpoints/shop', { status: 404, body: { ...body, request_id: 'x' } });
});

test.each<[string, number, unknown, RegExp]>([
  ['a member more', 200, { ...removed, more: 1 }, /as DELETE .* is described/],
  ['a member within more', 200, { status: 'success', data: { message: '', more: 1 } }, /described/],
  ['a member less', 200, { status: 'success', data: {} }, /data/],
  ['an error that is not declared', 404, failure('USER_NOT_FOUND', 'no'), /errors of DELETE/],
  ['an error of another shape', 404, { error: 'no' }, /message/],
])('fails on %s', (_what, status, body, told) => {
  const reply = {
    status,
    body: { ...(body as object), ...(status === 200 ? {} : { request_id: 'x' }) },
  };
  expect(() => demandDescribed('DELETE', '/endpoints/shop', reply)).toThrow(told);
});
