/** Edge driver of kind `mysql`: MySQL at PlanetScale by its HTTP interface, through the vendor's driver. */

import type { MysqlRequest } from '../../../../kinds/mysql/index.ts';
import type { ConnectionEnvelope } from '../../../../proto/driver.ts';
import type { EdgeDriver, EdgeHost } from '../driver.ts';
import { LateSession } from '../sql/late-session.ts';
import { isPlanetScale, planetScaleSettings } from './settings.ts';

/** Sessions to PlanetScale: it has transactions, but neither streams nor sessions of a caller's own. Contract §6, "Edge or relay". */
export const planetscale: EdgeDriver<MysqlRequest, LateSession<MysqlRequest>> = {
  vendor: 'PlanetScale',
  serves: isPlanetScale,
  open(envelope: ConnectionEnvelope, host: EdgeHost) {
    // Read here too, so that what is wrong with it is told before anything is loaded.
    planetScaleSettings(envelope.connection);
    return new LateSession<MysqlRequest>(async () => {
      const { planetScaleSession } = await import('./session.ts');
      return planetScaleSession(envelope, host);
    });
  },
};
