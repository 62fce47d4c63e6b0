/** Driver of kind `http`: any server that speaks HTTP, over sockets that the relay dialled. */

import { baseIn, HttpClient } from '../../../kinds/http/client.ts';
import type { HttpRequest } from '../../../kinds/http/index.ts';
import type { BackendClient, Target } from '../../../proto/driver.ts';
import type { Driver, Host } from '../driver.ts';
import { RelayTransport } from './transport.ts';

/** Clients of servers that speak HTTP. Contract §6, "http kind". */
export const http: Driver<HttpRequest> = {
  async open({ envelope }: Target, host: Host): Promise<BackendClient<HttpRequest>> {
    const base = baseIn(envelope);
    return new HttpClient(base, new RelayTransport(base.url, host));
  },
};
