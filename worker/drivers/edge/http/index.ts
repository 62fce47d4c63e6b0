/** Edge driver of kind `http`: any server that speaks HTTP. */

import { baseIn, HttpClient } from '../../../../kinds/http/client.ts';
import type { HttpRequest } from '../../../../kinds/http/index.ts';
import type { ConnectionEnvelope } from '../../../../proto/driver.ts';
import type { EdgeDriver, EdgeHost } from '../driver.ts';
import { isVendors } from '../vendors.ts';
import { transportOf } from './transport.ts';

/** Clients of servers that speak HTTP. Contract §6, "http kind". */
export const http: EdgeDriver<HttpRequest> = {
  vendor: 'HTTP',
  serves: isVendors,
  anyHost: true,
  open: (envelope: ConnectionEnvelope, host: EdgeHost) =>
    new HttpClient(baseIn(envelope), transportOf(host)),
};
