/** Templates of rules that name results, and read those of others. */
import type { JsonObject } from '../../../proto/json.ts';
import { idOf, range } from './readers.ts';

const naming = (at: number) => ({ as: idOf(at), target: `t${at}`, source: 'a' });

/** Templates by what their rules read. */
export const RULES: Readonly<Record<string, (count: number) => JsonObject>> = {
  'rules that read results of no name': (count) =>
    rules(count, (at) => ({ target: `u${at}`, expression: `results.no${at}` })),
  'rules that each read the result of another': (count) =>
    rules(count, (at) => ({ target: `u${at}`, expression: `results.${idOf(at)}` })),
  'loops after many results': (count) =>
    rules(count, (at) => ({
      target: `l${at}`,
      forEach: { array: 'all', as: 'each' },
      rules: [{ target: 'a', source: 'each.b' }],
    })),
  'blocks that name results on both sides': (count) =>
    rules(count, (at) => {
      const named = [{ target: `b${at}`, source: 'a', as: `both${at}` }];
      return { condition: 'a', rules: named, else: named };
    }),
};

/** As many that name a result, and then as many others. */
function rules(count: number, other: (at: number) => JsonObject): JsonObject {
  return {
    ...{ id: 'w', name: 'w', description: '', version: '1.0.0' },
    transformationRules: [...range(count, naming), ...range(count, other)],
  };
}
