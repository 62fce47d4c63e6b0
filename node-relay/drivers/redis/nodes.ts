/** The servers that an endpoint's own server names, each with its pool. */
import { GatewayError } from '../../../proto/errors.ts';
import type { Host } from '../driver.ts';
import { connect } from './connection.ts';
import type { Visit } from './login.ts';
import { Node } from './node.ts';
import type { Address } from './settings.ts';
import { addressName } from './slot-map.ts';

/** Servers that are known at a time: more than a cluster has, with those that it named before. Spec silent. */
const NODES_MAX = 4_000;

/** Makes each server's pool when it is first needed. Every address goes through `host.dial`, which checks it. */
export class Nodes {
  readonly #host: Host;
  readonly #visit: Visit;
  readonly #nodes = new Map<string, Node>();
  /** Of those that are named no longer. */
  readonly #closing = new Set<Promise<void>>();

  constructor(host: Host, visit: Visit) {
    this.#host = host;
    this.#visit = visit;
  }

  /** Whether they are spoken to inside TLS. */
  get secure(): boolean {
    return this.#visit.trust !== undefined;
  }

  at(address: Address): Node {
    const name = addressName(address);
    const known = this.#nodes.get(name);
    if (known) return known;
    if (this.#nodes.size >= NODES_MAX) throw tooMany();
    const node = new Node(this.#host, (signal) =>
      connect(this.#host, address, this.#visit, signal),
    );
    this.#nodes.set(name, node);
    return node;
  }

  /** Closes the servers that are not among these; their calls end first. */
  keep(names: ReadonlySet<string>): void {
    for (const [name, node] of this.#nodes) {
      if (names.has(name)) continue;
      this.#nodes.delete(name);
      const closing = node.close().finally(() => this.#closing.delete(closing));
      this.#closing.add(closing);
    }
  }

  async close(): Promise<void> {
    this.keep(new Set());
    await Promise.all(this.#closing);
  }
}

function tooMany(): GatewayError {
  return new GatewayError('CONNECTION_FAILED', 'The cluster names ever more servers');
}
