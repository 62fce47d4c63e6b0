/** What the object of an endpoint knows of itself, in a real object's database. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { beginningOf, begunAt, forgetBegun, noteBegun } from './beginning-marks.ts';
import { ChangesStore } from './changes-store.ts';
import type { KeptEndpoint } from './store.ts';

const OWNER = { orgUuid: 'o', orgId: 'org', sealedDataKey: 'key', endpoint: 'e' };

test('an object that forgot everything knows whose it is once it is opened again, also after a restart', () =>
  runInDurableObject(env.DATA_CHANGES.getByName(crypto.randomUUID()), async (_object, state) => {
    const kept = new ChangesStore(state.storage.sql);
    kept.open(OWNER);
    await state.storage.deleteAll();
    kept.forget();
    kept.open(OWNER);
    // Another one on the same storage is what a restart makes.
    expect(new ChangesStore(state.storage.sql).owner()).toEqual(OWNER);
  }));

/** Only who it is counts here. */
const at = (uuid: string) =>
  ({ row: { uuid }, placements: [], nodes: [] }) as unknown as KeptEndpoint;

test('what nobody watches any more is dropped where it is, and where the endpoint was followed before', () =>
  runInDurableObject(env.DATA_CHANGES.getByName(crypto.randomUUID()), (_object, { storage }) => {
    const kept = new ChangesStore(storage.sql);
    kept.open(OWNER);
    kept.set('made', true);
    kept.set('endpoint', at('third'));
    // It was moved twice before it was followed again: at the second nothing is kept.
    kept.leave(at('first'));
    kept.leave(at('second'));
    kept.abandon(1);
    const drops = kept.drops().map(({ endpoint, until }) => [endpoint.row.uuid, until]);
    expect(drops).toEqual([
      ['third', 1],
      ['first', 1],
    ]);
    expect([kept.get('made'), kept.get('left'), kept.isIdle()]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    // Wanted again: only what the endpoint reaches now is kept.
    kept.keepOwn();
    expect(kept.drops().map(({ endpoint }) => endpoint.row.uuid)).toEqual(['first']);
  }));

test('what was committed before a workflow or trigger began is not for it, until all of that was read', () =>
  runInDurableObject(env.DATA_CHANGES.getByName(crypto.randomUUID()), (_object, { storage }) => {
    const kept = new ChangesStore(storage.sql);
    kept.open(OWNER);
    const place = { position: 'p', generation: 'g', collections: [] };
    kept.set('place', place);
    noteBegun(kept, [beginningOf('w')], '05');
    noteBegun(kept, [beginningOf('w', 1)], '07');
    const since = (workflow: string, index: number, generation = 'g') =>
      begunAt(kept, generation, { workflow, index });
    expect([since('w', 0), since('w', 1), since('v', 0), since('w', 0, 'h')]).toEqual([
      '05',
      '07',
      '',
      '',
    ]);
    forgetBegun(kept, place, '');
    forgetBegun(kept, place, '05');
    expect([since('w', 0), since('w', 1)]).toEqual(['05', '07']);
    forgetBegun(kept, place, '06');
    expect([since('w', 0), since('w', 1)]).toEqual(['', '07']);
    // Marks of another place mean nothing in this one.
    forgetBegun(kept, { ...place, generation: 'h' }, '01');
    expect(kept.get('begun')).toBeUndefined();
  }));
