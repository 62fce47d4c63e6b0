/** Mends the library's dynamic scope: what a schema brings into it stayed there for its neighbours. */
import type { EvaluationPlugin, ValidationContext } from '@hyperjump/json-schema/experimental';

interface Scoped extends ValidationContext {
  /** The library's: schemas by the names of their dynamic anchors, outermost first. */
  dynamicAnchors?: unknown;
  /** What they were before the present schema. */
  outerAnchors?: unknown;
}

/**
 * Leaves the dynamic scope of a schema when the schema is left. It runs before the library's own
 * plugins. JSON Schema 2020-12, core, section 7.1: in scope are the resources that lead to the
 * present one, and no others.
 */
export const leaveScope: EvaluationPlugin<Scoped> = {
  id: 'causeway:leave-scope',
  beforeSchema(_url, _node, scope) {
    scope.outerAnchors = scope.dynamicAnchors;
  },
  afterSchema(_url, _node, scope) {
    scope.dynamicAnchors = scope.outerAnchors;
  },
};
