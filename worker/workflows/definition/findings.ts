/** What reading a definition gives besides the workflow: the resources that it names, and its faults. */

/** An endpoint that an action reaches by itself, and what its request needs there. Contract §4, §6. */
export interface EndpointReference {
  readonly kind: 'endpoint';
  readonly id: string;
  readonly path: string;
  readonly level: 'Read' | 'Write' | 'Admin';
}

/** What a definition names outside itself. */
export type Reference =
  | EndpointReference
  | { readonly kind: 'template' | 'workflow'; readonly id: string; readonly path: string };

/** One fault of a definition; a refusal lists all of them. */
export interface Fault {
  /** Where in the definition, as `actions.2.branches.0.input.query`. */
  readonly path: string;
  readonly message: string;
  /** Where in an expression, from 1. */
  readonly line?: number;
  readonly column?: number;
}
