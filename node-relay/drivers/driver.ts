/** What a relay driver implements, and what it may use of the relay. */
import type { Socket } from 'node:net';
import type { BackendClient, Target } from '../../proto/driver.ts';

/** Makes clients of one kind of backend. Holds no state of its own. */
export interface Driver<
  Request = unknown,
  Made extends BackendClient<Request> = BackendClient<Request>,
> {
  /**
   * Readies a line to a backend; connections are made when first needed.
   * @throws GatewayError INVALID_CONFIGURATION
   */
  open(target: Target, host: Host): Promise<Made>;
}

/** What a driver may use of the relay; there is no other way to the network. */
export interface Host {
  /**
   * Resolves a host name once, checks the address and connects to just that one.
   * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED
   */
  dial(host: string, port: number, signal: AbortSignal): Promise<Socket>;
  /**
   * An address of the host that `dial` would connect to, for what a backend is asked to connect to.
   * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED
   */
  vet(host: string, port: number, signal: AbortSignal): Promise<string>;
  /** Connections for drivers whose calls each need one, within the endpoint's caps. */
  pool<Connection>(maker: ConnectionMaker<Connection>): ConnectionPool<Connection>;
  /**
   * Lets a call keep a connection for an open time: a subscription, a command that waits.
   * @returns what ends it, to be called once; undefined when calls that do not wait would have none left
   */
  hold(): (() => void) | undefined;
  /** Seals what clients bring back with a later call, for this endpoint and what it is bound to. */
  seal(clear: Uint8Array, bound: string): string;
  /** What was sealed; undefined where it was not sealed by this node, or for something else. */
  unseal(sealed: string, bound: string): Uint8Array | undefined;
}

/** How a pool makes and ends its connections. */
export interface ConnectionMaker<Connection> {
  /** @throws GatewayError CONNECTION_FAILED, ADDRESS_REFUSED, INVALID_CONFIGURATION */
  open(signal: AbortSignal): Promise<Connection>;
  /** A promise says when the backend has let go of it: its slot's next connection is opened then, so that the backend never counts one too many. */
  close(connection: Connection): void | Promise<void>;
}

/**
 * Connections of one pool key. The endpoint's caps hold over all its pools and leases on this
 * node together: a pool that waits gets the slot of another one's idle connection.
 */
export interface ConnectionPool<Connection> {
  /**
   * An idle connection, else a new one, else the next that is free.
   * @param place among those that wait; `ahead` is for what lets others end
   * @throws GatewayError POOL_EXHAUSTED when too many wait or the wait is too long, TIMED_OUT, what `open` throws
   */
  acquire(signal: AbortSignal, place?: 'last' | 'ahead'): Promise<Connection>;
  /** Gives a connection back that the next caller can use as if it were new. */
  release(connection: Connection): void;
  /** Ends a connection, in use or idle: it was lost, or holds what the next caller must not see. */
  discard(connection: Connection): void;
  /** Whether calls of the endpoint wait for a connection: one that is held for many calls should come back soon. */
  readonly contended: boolean;
  /** Ends idle connections at once and the others when they come back. */
  close(): Promise<void>;
}
