/** What is kept of events, in a real object's database. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { EventStore } from './store.ts';

test('sources whose events are all removed are kept no more: anyone may name as many as they like', () =>
  runInDurableObject(
    env.ORGANIZATION_EVENTS.getByName(crypto.randomUUID()),
    (_object, { storage }) => {
      const store = new EventStore(storage.sql);
      store.open({ orgUuid: 'o', orgId: 'org', sealedDataKey: 'key' });
      const add = (source: string, id: string, at: number) =>
        store.add({ source, event: 'e', id, time: '', data: '' }, new Uint8Array([1]), at);
      add('gone', '1', 10);
      add('stays', '1', 10);
      add('stays', '2', 20);
      store.addWait({ run: 'r', path: 'p', source: 'stays', pattern: '*', after: 0 });
      const heads = () =>
        storage.sql.exec('SELECT source, seq FROM heads ORDER BY source').toArray();
      store.removeBefore(10);
      expect(heads()).toEqual([
        { source: 'gone', seq: 1 },
        { source: 'stays', seq: 3 },
      ]);
      store.removeBefore(20);
      expect(heads()).toEqual([{ source: 'stays', seq: 3 }]);
      expect(store.toTell(9).map(({ run }) => run)).toEqual(['r']);
      // Places go on where they were.
      add('gone', '1', 30);
      expect(heads()).toEqual([
        { source: 'gone', seq: 4 },
        { source: 'stays', seq: 3 },
      ]);
    },
  ));
