/** What a driver is that reaches its backend from the edge by HTTP, without a relay. Contract §6, "Edge or relay". */
import type { BackendClient, ConnectionEnvelope } from '../../../proto/driver.ts';
import { GatewayError } from '../../../proto/errors.ts';

/** What an edge driver may use; there is no other way to the network. */
export interface EdgeHost {
  /**
   * Sends a request to an address that may be reached; redirects are not followed. Its failures
   * have to reach the driver's caller as they are: they tell whether a write may have arrived.
   * @throws GatewayError ADDRESS_REFUSED and CONNECTION_FAILED when nothing was sent
   * @throws Lost when the request may have arrived
   */
  fetch(request: Request): Promise<Response>;
}

/**
 * Makes clients of one kind of backend. A client outlives the request that made it: it holds
 * nothing of one, neither promises nor streams.
 */
export interface EdgeDriver<
  Request = unknown,
  Made extends BackendClient<Request> = BackendClient<Request>,
> {
  /** Whether the host that a connection names is a vendor's whose HTTP protocol this is. */
  serves(host: string): boolean;
  /** Names what the vendor's protocol lacks, so that NOT_SUPPORTED can name `config.transport: "relay"`. */
  readonly vendor: string;
  /**
   * HTTP is the kind's own protocol: any other host is served, too, where the network refuses all
   * but public addresses, and a relay has no more to offer.
   */
  readonly anyHost?: true;
  /** @throws GatewayError INVALID_CONFIGURATION */
  open(envelope: ConnectionEnvelope, host: EdgeHost): Made;
}

/**
 * A request that got no reply: CONNECTION_FAILED, or TIMED_OUT when its signal aborted. It may
 * have arrived; of a call that may write, the caller is told OUTCOME_UNKNOWN.
 */
export class Lost extends GatewayError {}
