/** Edge driver of kind `pinecone`: an index by its HTTP interface, through the vendor's client. */

import type { Line } from '../../../../kinds/http/line.ts';
import type { PineconeRequest } from '../../../../kinds/pinecone/index.ts';
import { type Settings, settingsOf } from '../../../../kinds/pinecone/settings.ts';
import type { Call, ConnectionEnvelope, ResultBytes, Session } from '../../../../proto/driver.ts';
import type { EdgeDriver, EdgeHost } from '../driver.ts';
import { lineOf } from '../http/line.ts';

/** Sessions to Pinecone; it has neither transactions nor sessions of a caller's own. Contract §6, "Edge or relay". */
export const pinecone: EdgeDriver<PineconeRequest> = {
  vendor: 'Pinecone',
  serves: (host) => host.endsWith('.pinecone.io'),
  anyHost: true,
  open: (envelope: ConnectionEnvelope, host: EdgeHost) =>
    new LateSession(settingsOf(envelope), lineOf(host)),
};

/** The vendor's client is evaluated with the first request to any index, not when the worker starts. */
class LateSession implements Session<PineconeRequest> {
  readonly #settings: Settings;
  readonly #line: Line;

  constructor(settings: Settings, line: Line) {
    this.#settings = settings;
    this.#line = line;
  }

  async run(request: PineconeRequest, call: Call): Promise<ResultBytes> {
    return (await this.#session()).run(request, call);
  }

  async ping(call: Call): Promise<number> {
    return (await this.#session()).ping(call);
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  /** Asked anew each time: a promise of one request may not be another's. */
  async #session(): Promise<Session<PineconeRequest>> {
    const { PineconeSession } = await import('../../../../kinds/pinecone/session.ts');
    return new PineconeSession(this.#settings, this.#line);
  }
}
