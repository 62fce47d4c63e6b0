/** Driver of kind `pinecone`: an index by its HTTP interface, through the vendor's client and the relay's own dialling. */

import { PineconeClient } from '../../../kinds/pinecone/client.ts';
import type { PineconeRequest } from '../../../kinds/pinecone/index.ts';
import { settingsOf } from '../../../kinds/pinecone/settings.ts';
import type { BackendClient, Target } from '../../../proto/driver.ts';
import type { Driver, Host } from '../driver.ts';
import { RelayTransport } from '../http/transport.ts';

/** Clients of Pinecone; it has neither transactions nor leases. Contract §5, §6. */
export const pinecone: Driver<PineconeRequest> = {
  async open({ envelope }: Target, host: Host): Promise<BackendClient<PineconeRequest>> {
    const settings = settingsOf(envelope);
    return new PineconeClient(settings, new RelayTransport(new URL(settings.origin), host));
  },
};
