/** Driver of kind `pinecone`: an index by its HTTP interface, through the vendor's client and the relay's own dialling. */

import type { PineconeRequest } from '../../../kinds/pinecone/index.ts';
import { PineconeSession } from '../../../kinds/pinecone/session.ts';
import { settingsOf } from '../../../kinds/pinecone/settings.ts';
import type { Session, Target } from '../../../proto/driver.ts';
import type { Driver, Host } from '../driver.ts';
import { RelayLine } from '../http/line.ts';

/** Sessions to Pinecone; it has neither transactions nor sessions of a caller's own. Contract §5, §6. */
export const pinecone: Driver<PineconeRequest> = {
  async open({ envelope }: Target, host: Host): Promise<Session<PineconeRequest>> {
    const settings = settingsOf(envelope);
    return new PineconeSession(settings, new RelayLine(new URL(settings.origin), host));
  },
};
