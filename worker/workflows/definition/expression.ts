/** Compiles the expressions of a definition, and notes what each reads, so that it can be checked what is visible there. */

import type { Pace } from '../../../proto/work/pieces.ts';
import {
  type Budget,
  compileExpression,
  type Expression,
  keep,
  type Plain,
  readsOf,
  type ValueRead,
} from '../../language/expressions/index.ts';
import type { Report } from '../../templates/transformation/report.ts';
import type { Common, Expr, Root, Uses } from './tree.ts';

/** A run as `$`. */
export type RunStand =
  /** As an action sees it: before it begins, or after its end; `output` and `results` come on top. */
  | {
      readonly root: 'run';
      readonly action: Common;
      readonly when: 'before' | 'after';
      readonly extra?: 'output' | 'results';
    }
  /** A run at its end, or when any of its actions failed. */
  | { readonly root: 'end' }
  | { readonly root: 'failure' };

/** Which `$` an expression has, and so what it may read. */
export type Stand =
  | RunStand
  /** Of `$` one member alone. */
  | { readonly root: 'input' }
  | { readonly root: 'trigger' }
  /** What started a run; its members go by their bare names. */
  | { readonly root: 'delivery' };

/** An expression and where it is, until all actions are known. */
export interface Site {
  readonly expr: CompiledExpr;
  readonly stand: Stand;
  readonly reads: readonly ValueRead[];
}

/** What definitions are read with. */
export interface Drafting {
  readonly report: Report;
  readonly sites: Site[];
  readonly pace: Pace;
}

/** What reading costs, in units of which a piece has 1,000, some two milliseconds. */
export const COST = { piece: 1_000, part: 1, expression: 10, action: 20 } as const;

/** Characters of an expression that cost as much as a part of a value. */
export const CHARACTERS_OF_PART = 10;

const NONE: Uses = { roots: new Set(), actions: new Map(), names: new Set() };

/** An expression that was compiled. */
export class CompiledExpr implements Expr {
  readonly where: string;
  readonly source: string;
  /** Nothing until what is visible was checked. */
  uses: Uses = NONE;
  readonly #expression: Expression;

  constructor(where: string, expression: Expression) {
    this.where = where;
    this.source = expression.source;
    this.#expression = expression;
  }

  evaluate(root: Root, budget: Budget, named: readonly Plain[] = []): Plain | undefined {
    return keep(this.#expression.run([root, ...named], budget), budget);
  }
}

/**
 * Compiles an expression; undefined, with a fault, when the text is not one.
 * @param names further names besides `$`, in the order in which `evaluate` is given their values
 */
export function compiled(
  { report, sites, pace }: Drafting,
  source: string,
  { where, stand, names = [] }: { where: string; stand: Stand; names?: readonly string[] },
): CompiledExpr | undefined {
  pace.add(COST.expression + source.length / CHARACTERS_OF_PART);
  return report.try(where, () => {
    const members = stand.root === 'delivery' ? { members: '$' } : {};
    const expression = compileExpression(source, { names: ['$', ...names], ...members });
    const expr = new CompiledExpr(where, expression);
    sites.push({ expr, stand, reads: readsOf(source, ['$']) });
    return expr;
  });
}
