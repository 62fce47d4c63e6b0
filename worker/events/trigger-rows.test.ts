/** Which triggers events are offered to, and up to where others are moved on; in a real object's database. */
import { env, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { EventStore } from './store.ts';
import { TriggerRows } from './trigger-rows.ts';

const trigger = (workflow: string, pattern: string, source = 'shop') => ({
  ...{ workflow, place: 0, id: workflow, version: '1.0.0' },
  ...{ source, pattern, isActive: true },
});

/** Triggers of two sources, and a log. */
function withRows(work: (at: ReturnType<typeof around>) => void): Promise<void> {
  const object = env.ORGANIZATION_EVENTS.getByName(crypto.randomUUID());
  return runInDurableObject(object, (_object, { storage }) => work(around(storage.sql)));
}

function around(sql: SqlStorage) {
  const store = new EventStore(sql);
  store.open({ orgUuid: 'o', orgId: 'org', sealedDataKey: 'key' });
  const rows = new TriggerRows(sql);
  const known = [
    ...[trigger('paid', 'order.paid'), trigger('sent', 'order.sent')],
    ...[trigger('all', 'order.*'), trigger('other', '*', 'office')],
  ];
  rows.replace(known, 0);
  let sent = 0;
  return {
    rows,
    known,
    store,
    send(event: string, times = 1) {
      for (let at = 0; at < times; at += 1) {
        sent += 1;
        const of = { source: 'shop', event, id: `${sent}`, time: '', data: '' };
        store.add(of, new Uint8Array([1]), sent);
      }
    },
    ready: () =>
      rows
        .ready(store.last())
        .map(({ workflow, after }) => `${workflow} ${after}`)
        .toSorted(),
    places: () =>
      sql
        .exec('SELECT workflow, after FROM triggers ORDER BY workflow')
        .toArray()
        .map(({ workflow, after }) => `${workflow} ${after}`),
  };
}

test('triggers that no new event fits are moved on at once, others are ready from where they were', () =>
  withRows(({ send, ready, places }) => {
    send('order.paid');
    expect(ready()).toEqual(['all 0', 'paid 0']);
    expect(places()).toEqual(['all 0', 'other 0', 'paid 0', 'sent 1']);
    send('order.sent');
    expect(ready()).toEqual(['all 0', 'paid 0', 'sent 1']);
  }));

test('one that is far behind hides from no other what is new', () =>
  withRows(({ send, ready, rows, store }) => {
    send('order.paid');
    for (const row of rows.ready(store.last())) {
      if (row.workflow === 'all') rows.move(row, 1, undefined);
    }
    // More names than one look reads: `paid` stays where it is, as one that fails does.
    send('order.lost', 700);
    expect(ready()).toEqual(['all 1', 'paid 0', 'sent 1']);
    for (const row of rows.ready(store.last())) {
      if (row.workflow !== 'paid') rows.move(row, 701, undefined);
    }
    send('order.sent');
    expect(ready()).toEqual(['all 701', 'paid 0', 'sent 701']);
  }));

test('one that was paused and is active again has another place, so that a line that was offering ends', () =>
  withRows(({ send, rows, known, store }) => {
    send('order.paid', 2);
    const before = rows.find('paid', 0);
    rows.replace(
      known.map((each) => ({ ...each, isActive: false })),
      store.last(),
    );
    rows.replace(known, store.last());
    expect([before?.after, rows.find('paid', 0)?.after]).toEqual([0, 2]);
  }));
