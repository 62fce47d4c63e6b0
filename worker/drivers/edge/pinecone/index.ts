/** Edge driver of kind `pinecone`: an index by its HTTP interface, through the vendor's client. */

import type { HttpTransport } from '../../../../kinds/http/transport.ts';
import type { PineconeRequest } from '../../../../kinds/pinecone/index.ts';
import { type Settings, settingsOf } from '../../../../kinds/pinecone/settings.ts';
import type {
  BackendClient,
  Call,
  ConnectionEnvelope,
  ResultBytes,
} from '../../../../proto/driver.ts';
import type { EdgeDriver, EdgeHost } from '../driver.ts';
import { transportOf } from '../http/transport.ts';

/** Clients of Pinecone; it has neither transactions nor leases. Contract §6, "Edge or relay". */
export const pinecone: EdgeDriver<PineconeRequest> = {
  vendor: 'Pinecone',
  serves: (host) => host.endsWith('.pinecone.io'),
  anyHost: true,
  open: (envelope: ConnectionEnvelope, host: EdgeHost) =>
    new LateClient(settingsOf(envelope), transportOf(host)),
};

/** The vendor's client is evaluated with the first request to any index, not when the worker starts. */
class LateClient implements BackendClient<PineconeRequest> {
  readonly #settings: Settings;
  readonly #line: HttpTransport;

  constructor(settings: Settings, line: HttpTransport) {
    this.#settings = settings;
    this.#line = line;
  }

  async run(request: PineconeRequest, call: Call): Promise<ResultBytes> {
    return (await this.#client()).run(request, call);
  }

  async ping(call: Call): Promise<number> {
    return (await this.#client()).ping(call);
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  /** Asked again each time: a promise of one request may not be another's. */
  async #client(): Promise<BackendClient<PineconeRequest>> {
    const { PineconeClient } = await import('../../../../kinds/pinecone/client.ts');
    return new PineconeClient(this.#settings, this.#line);
  }
}
