/** What a node seals opens on that node alone, and for what it was sealed. */
import { expect, test } from 'vitest';
import { Seals } from './seals.ts';

const seals = new Seals([{ d: 'b25lIGtleQ' }]);
const clear = Buffer.from('a place');

test('opens for what it was sealed for, in any process of the node', () => {
  const again = new Seals([{ d: 'b25lIGtleQ' }]);
  expect(again.unseal(seals.seal(clear, 'here'), 'here')).toEqual(clear);
});

test('does not open elsewhere, on another node, changed, or made up', () => {
  const sealed = seals.seal(clear, 'here');
  const changed = `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`;
  expect([
    seals.unseal(sealed, 'there'),
    new Seals([{ d: 'YW5vdGhlcg' }]).unseal(sealed, 'here'),
    seals.unseal(changed, 'here'),
    seals.unseal(sealed.slice(0, -4), 'here'),
    seals.unseal('', 'here'),
    seals.unseal('not sealed at all', 'here'),
  ]).toEqual(Array(6).fill(undefined));
});

test('tells two seals of one text apart', () => {
  expect(seals.seal(clear, 'here')).not.toBe(seals.seal(clear, 'here'));
});

test('opens what the key before sealed, while that is in use', () => {
  const sealed = seals.seal(clear, 'here');
  const changed = new Seals([{ d: 'b25lIGtleQ' }]);
  changed.use([{ d: 'YW5vdGhlcg' }, { d: 'b25lIGtleQ' }]);
  expect(changed.unseal(sealed, 'here')).toEqual(clear);
  expect(seals.unseal(changed.seal(clear, 'here'), 'here')).toBeUndefined();
  changed.use([{ d: 'YW5vdGhlcg' }]);
  expect(changed.unseal(sealed, 'here')).toBeUndefined();
});
