/** What a failed write of an action tells of its effect, where the backend keeps its key. Spec: transactions.md §7. */
import { expect, test } from 'vitest';
import type { Json } from '../../../proto/json.ts';
import { asTheMarkTells, markedKeyOf } from './marked.ts';

const REFUSED: Json = [{ source: 'postgres', code: '23505', message: 'there already' }];

test.each([
  ['a relay that is gone', 'NODE_UNAVAILABLE', undefined, undefined, 'possible'],
  ['a deadline', 'TIMED_OUT', undefined, undefined, 'possible'],
  ['an effect without a reply', 'REPLY_NOT_KEPT', undefined, undefined, 'possible'],
  ['what the backend refused', 'CONSTRAINT_VIOLATED', REFUSED, undefined, 'none'],
  ['what was applied in part', 'REQUEST_FAILED', REFUSED, 'possible', 'possible'],
  ['rights that were lost meanwhile', 'FORBIDDEN', undefined, undefined, undefined],
  ['a connection that was not made', 'CONNECTION_FAILED', undefined, undefined, undefined],
] as const)('tells the effect after %s', (_, code, details, effect, expected) => {
  const failure = { code, message: '', action: 'a', ...(details && { details }) };
  const told = asTheMarkTells({ ...failure, ...(effect && { effect }) });
  expect(told).toEqual({ ...failure, ...(expected && { effect: expected }) });
});

test('each claim of a key has a mark of its own, and all attempts of one have the same', () => {
  const head = { workflow: { uuid: 'w', id: 'w', version: '1' } } as Parameters<
    typeof markedKeyOf
  >[0]['head']; // Nothing else is read.
  const of = (claim?: number) =>
    markedKeyOf({ id: 'run', head }, { action: 'a', state: { key: 'k', ...(claim && { claim }) } });
  expect(of(1)).toEqual({ key: 'k', target: ['workflow', 'w', 'a', 'run', '1'] });
  expect(of(2)).not.toEqual(of(1));
  expect(of()).toBeUndefined();
});
