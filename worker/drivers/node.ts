/** What the worker knows of a relay node. */
import type { JWK } from 'jose';

/** A relay that can run requests. Spec: "Node placement record". */
export interface Node {
  /** `nodeUuid` of its public key: the audience of its call tokens. */
  readonly uuid: string;
  /** Base address, without a slash at the end; not used where the default node has a binding. */
  readonly url: string;
  /** EC P-256: connections are sealed to it. */
  readonly publicKey: JWK;
  /** The installation's own, reached through the binding `RELAY` when there is one. */
  readonly default: boolean;
}
