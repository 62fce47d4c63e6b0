/** The network as edge drivers see it, in a test's own process. */
import { type EdgeHost, Lost } from '../../worker/drivers/edge/driver.ts';

/** Sends every request to its address. */
export const openNetwork: EdgeHost = {
  async fetch(request) {
    try {
      // biome-ignore lint/style/noRestrictedGlobals: not a call of the API.
      return await fetch(request);
    } catch (cause) {
      const code = request.signal.aborted ? 'TIMED_OUT' : 'CONNECTION_FAILED';
      throw new Lost(code, 'The request failed', { cause });
    }
  },
};
