/** Graphs of nodes, which are read before they are definitions. */
import type { JsonObject } from '../../../proto/json.ts';
import { idOf, range } from './readers.ts';

const NODE = { template_uuid: '00000000-0000-4000-8000-000000000000' };

/** Graphs by how their nodes stand to each other. */
export const NODES: Readonly<Record<string, (count: number) => JsonObject>> = {
  'nodes in a row': (count) =>
    nodes(count, (at) => ({
      source: at === 0 ? [] : [idOf(at - 1)],
      children: at + 1 < Math.floor(count) ? [idOf(at + 1)] : [],
    })),
  'nodes around one': (count) =>
    nodes(count, (at) => ({
      source: at === 0 ? [] : [idOf(0)],
      children: at === 0 ? range(Math.floor(count) - 1, (each) => idOf(each + 1)) : [],
    })),
  'nodes that lead to one': (count) =>
    nodes(count, (at) => ({
      source: at === 0 ? range(Math.floor(count) - 1, (each) => idOf(each + 1)) : [],
      children: at === 0 ? [] : [idOf(0)],
    })),
  'two nodes that name each other often': (count) =>
    nodes(2, (at) => ({
      source: at === 0 ? [] : [...range(count, (each) => `x${each}`), idOf(0)],
      children: at === 0 ? range(count, () => idOf(1)) : [],
    })),
  'nodes with faults': (count) =>
    nodes(count, (at) => ({ source: [`x${at}`], children: [`y${at}`], color: 'red' })),
};

function nodes(count: number, around: (at: number) => JsonObject): JsonObject {
  return {
    id: 'w',
    dag: {
      nodes: Object.fromEntries(
        range(count, (at) => [idOf(at), { id: idOf(at), ...NODE, ...around(at) }]),
      ),
    },
  };
}
