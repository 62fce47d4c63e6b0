/** The network as edge drivers have it, in a test's own process. */
import type { EdgeHost } from '../../worker/drivers/edge/driver.ts';
import { networkFailure } from '../../worker/drivers/edge/host.ts';

/** Sends wherever it is asked to. */
export const openNetwork: EdgeHost = {
  async fetch(request) {
    try {
      // biome-ignore lint/style/noRestrictedGlobals: not a call of the API.
      return await fetch(request);
    } catch (cause) {
      throw networkFailure(cause, request.signal);
    }
  },
};
