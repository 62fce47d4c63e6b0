/** A graph of nodes of the insert shape is read in pieces, and once for each definition that is at hand. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { asWritten } from '../body.ts';
import { SCHEMA, storedInPieces } from '../stored.ts';
import { actionsInPieces, actionsOf } from './dag.ts';

const COUNT = 2_000;
/** Nodes that one piece reads at most, about: some milliseconds. */
const PER_PIECE = 50;
const idAt = (at: number) => (at >= 0 && at < COUNT ? [`n${at}`] : []);

/** A row of nodes, each with an expression. */
function row(): JsonObject {
  const nodes = Array.from({ length: COUNT }, (_, at) => {
    const [id = ''] = idAt(at);
    const neighbours = { source: idAt(at - 1), children: idAt(at + 1) };
    return [id, { id, ...neighbours, template_uuid: 't', input_op: `$.of === ${at}` }] as const;
  });
  return { dag: { nodes: Object.fromEntries(nodes) } };
}

/** How many pieces it takes. */
function counted<Result>(pieces: Pieces<Result>): { count: number; result: Result } {
  for (let count = 0; ; count += 1) {
    const piece = pieces.next();
    if (piece.done) return { count, result: piece.value };
  }
}

test('it is read in pieces, and then it is at hand', () => {
  const schema = row();
  const { count, result } = counted(actionsInPieces(schema));
  expect(result.faults).toEqual([]);
  expect(result.actions).toHaveLength(COUNT);
  expect(count).toBeGreaterThan(COUNT / PER_PIECE);
  expect(counted(actionsInPieces(schema))).toEqual({ count: 0, result });
  expect(actionsOf(row())).toEqual(result);
});

test.each([
  { where: 'a body', read: (text: string) => asWritten({}, new TextEncoder().encode(text)) },
  { where: 'what is stored', read: storedInPieces },
])('reading $where reads it', ({ read }) => {
  const schema = whole(read(JSON.stringify({ [SCHEMA]: row() })))[SCHEMA] as JsonObject;
  expect(counted(actionsInPieces(schema)).count).toBe(0);
});
