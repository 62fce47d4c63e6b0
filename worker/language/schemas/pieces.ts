/**
 * Evaluates schemas in pieces. The library evaluates at once, which large values would hold the
 * thread with: what follows does as the library does, keyword for keyword, and gives way between.
 */
import {
  type CompiledSchema,
  type EvaluationPlugin,
  getKeyword,
} from '@hyperjump/json-schema/experimental';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { type Evaluating, INTERPRETERS } from './applicators.ts';
import type { KeywordNode } from './build.ts';
import type { ValueNode } from './node.ts';
import { STEP_NS } from './validation-budget.ts';

/** Steps between two pauses: about a millisecond. */
const STEPS_OF_A_PIECE = 1e6 / STEP_NS;

/** Whether a value fits. */
export function evaluateInPieces(
  { ast, schemaUri }: CompiledSchema,
  root: ValueNode,
  plugins: readonly EvaluationPlugin<Evaluating>[],
): Pieces<boolean> {
  const { work } = root;
  let pauseAt = work.left - STEPS_OF_A_PIECE;
  return evaluate(schemaUri, root, contextOf());

  function contextOf(): Evaluating {
    return { ast, plugins: plugins as EvaluationPlugin[] };
  }

  function* evaluate(url: string, node: ValueNode, context: Evaluating): Pieces<boolean> {
    if (work.left < pauseAt) {
      yield;
      pauseAt = work.left - STEPS_OF_A_PIECE;
    }
    for (const plugin of plugins) plugin.beforeSchema?.(url, node, context);
    const schema = ast[url] ?? false;
    let isValid = schema !== false;
    for (const keyword of Array.isArray(schema) ? schema : []) {
      isValid = (yield* evaluateKeyword(keyword, node, context)) && isValid;
    }
    for (const plugin of plugins) plugin.afterSchema?.(url, node, context, isValid);
    return isValid;
  }

  function* evaluateKeyword(keyword: KeywordNode, node: ValueNode, outer: Evaluating) {
    const [id, , asked] = keyword;
    const handler = getKeyword<unknown>(id);
    const inner = contextOf();
    for (const plugin of plugins) plugin.beforeKeyword?.(keyword, node, inner, outer, handler);
    const interpret = INTERPRETERS[id];
    const isValid: boolean =
      interpret === undefined
        ? handler.interpret(asked, node, inner)
        : yield* interpret(asked as never, node, inner, evaluate); // nodes.ts makes both.
    for (const plugin of plugins) {
      plugin.afterKeyword?.(keyword, node, inner, isValid, outer, handler);
    }
    return isValid;
  }
}
