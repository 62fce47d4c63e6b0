/** Driver of kind `http`: any server that speaks HTTP, over sockets that the relay dialled. */

import type { HttpRequest } from '../../../kinds/http/index.ts';
import { baseIn, HttpSession } from '../../../kinds/http/session.ts';
import type { Session, Target } from '../../../proto/driver.ts';
import type { Driver, Host } from '../driver.ts';
import { RelayLine } from './line.ts';

/** Sessions to servers that speak HTTP. Contract §6, "http kind". */
export const http: Driver<HttpRequest> = {
  async open({ envelope }: Target, host: Host): Promise<Session<HttpRequest>> {
    const base = baseIn(envelope);
    return new HttpSession(base, new RelayLine(base.url, host));
  },
};
