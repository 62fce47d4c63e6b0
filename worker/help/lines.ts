/** Operations as lists of them say them. */
import { operationsOf } from '../http/operations.ts';
import type { AnyRoute } from '../route.ts';
import type { Help } from './schema.ts';

/** One line of a list of operations. */
export type OperationLine = Help['operations'][number];

/** Every operation, each method and path a line of its own; parameters as `{name}`. */
export function operationLines(routes: readonly AnyRoute[]): OperationLine[] {
  return operationsOf(routes).map(({ method, path, route: { summary, access } }) => ({
    method,
    path,
    summary,
    level: access.level,
  }));
}
