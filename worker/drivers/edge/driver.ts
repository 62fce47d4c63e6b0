/** What a driver is that reaches its backend from the edge by HTTP, without a relay. Contract §6, "Edge or relay". */
import type { ConnectionEnvelope, Session } from '../../../proto/driver.ts';

/** What an edge driver may use; there is no other way to the network. */
export interface EdgeHost {
  /**
   * Sends a request to an address that may be reached; redirects are not followed.
   * @throws GatewayError ADDRESS_REFUSED for an address that may not, CONNECTION_FAILED, TIMED_OUT by the request's signal
   */
  fetch(request: Request): Promise<Response>;
}

/**
 * Makes sessions to one kind of backend. A session outlives the request that made it: it holds
 * nothing of one, neither promises nor streams.
 */
export interface EdgeDriver<Request = unknown> {
  /** Whether the host that a connection names is a vendor's whose HTTP protocol this is. */
  serves(host: string): boolean;
  /** Names what the vendor's protocol lacks, so that NOT_SUPPORTED can name `config.transport: "relay"`. */
  readonly vendor: string;
  /** @throws GatewayError INVALID_CONFIGURATION */
  open(envelope: ConnectionEnvelope, host: EdgeHost): Session<Request>;
}
