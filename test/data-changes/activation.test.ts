/** What a workflow that was paused is told of, through a real gateway, relay and PostgreSQL. Spec: workflows.md §1, "Paused". */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../proto/json.ts';
import { sharedGateway } from '../gateway.ts';
import { Followed } from './followed.ts';

let followed: Followed;

beforeAll(async () => {
  followed = await Followed.open(await sharedGateway());
});
afterAll(() => followed?.close());

/** The key of the change that a run without mapping has as its input. */
const keyOf = (input: Json | undefined) => (input as { key: { id: number } }).key;

test('changes of a paused workflow are passed over, and later ones start runs again', async () => {
  await followed.sql('CREATE TABLE paused (id int PRIMARY KEY)');
  const workflow = await followed.workflow(followed.on('paused'));
  await followed.sql('INSERT INTO paused VALUES (1)');
  await followed.ended(workflow, 1);
  await followed.patch(workflow, { status: 'paused' });
  await followed.sql('INSERT INTO paused VALUES (2)');
  await followed.patch(workflow, { status: 'active' });
  await followed.sql('INSERT INTO paused VALUES (3)');
  const runs = await followed.ended(workflow, 2);
  expect(runs.map(({ input }) => keyOf(input))).toEqual([{ id: 1 }, { id: 3 }]);
});

test('changes of before an activation are passed over however many there are, and those that commit after it are not', async () => {
  await followed.sql('CREATE TABLE resumed (id int PRIMARY KEY)');
  const workflow = await followed.workflow(followed.on('resumed'));
  await followed.patch(workflow, { status: 'paused' });
  const other = new pg.Client({ connectionString: followed.url });
  await other.connect();
  await other.query('BEGIN; INSERT INTO resumed VALUES (-1)');
  await followed.sql('INSERT INTO resumed SELECT generate_series(1, 20000)');
  await followed.patch(workflow, { status: 'active' });
  await other.query('COMMIT');
  await other.end();
  await followed.sql('INSERT INTO resumed VALUES (0)');
  const runs = await followed.ended(workflow, 2);
  const ids = runs.map(({ input }) => keyOf(input).id);
  expect(ids.toSorted((one, two) => one - two)).toEqual([-1, 0]);
});
