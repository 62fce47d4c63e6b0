/** What the worker knows of a relay node. */
import type { JWK } from 'jose';

/** A relay that can run requests. Spec: "Node placement record". */
export interface Node {
  /** The audience of its call tokens; of the default node `nodeUuid` of its public key. */
  readonly uuid: string;
  /** Base address, without a slash at the end; not used where the default node has a binding, nor of tunnels. */
  readonly url: string;
  /** EC P-256: connections are sealed to it. */
  readonly publicKey: JWK;
  /** The installation's own, reached through the binding `RELAY` when there is one. */
  readonly default: boolean;
  /** UUID of the organization that registered it; of every node but the default one. */
  readonly organization?: string;
  /** Whether it dials the gateway: its object holds the tunnel. */
  readonly tunnel?: boolean;
}
