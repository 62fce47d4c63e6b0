/** Edge driver of kind `http`: any server that speaks HTTP. */

import type { HttpRequest } from '../../../../kinds/http/index.ts';
import { baseIn, HttpSession } from '../../../../kinds/http/session.ts';
import type { ConnectionEnvelope } from '../../../../proto/driver.ts';
import type { EdgeDriver, EdgeHost } from '../driver.ts';
import { isVendors } from '../vendors.ts';
import { lineOf } from './line.ts';

/** Sessions to servers that speak HTTP. Contract §6, "http kind". */
export const http: EdgeDriver<HttpRequest> = {
  vendor: 'HTTP',
  serves: isVendors,
  anyHost: true,
  open: (envelope: ConnectionEnvelope, host: EdgeHost) =>
    new HttpSession(baseIn(envelope), lineOf(host)),
};
