/** `GET /metrics`, for those who have `METRICS_TOKEN`; without that setting there is nothing. Contract §11. */
import { GatewayError } from '../../proto/errors.ts';
import { bearerOf } from '../access/authenticate.ts';
import { METRICS_TYPE, requestMetrics } from '../metrics.ts';
import { isSame } from '../secrets/compare.ts';
import { settingsOf } from '../settings.ts';
import { asAllReplies } from './beside.ts';
import type { App } from './run.ts';

/** Adds it to the app. */
export function mountMetrics(app: App): void {
  app.get('/metrics', asAllReplies, async (c) => {
    const { METRICS_TOKEN } = settingsOf(c.env);
    if (METRICS_TOKEN === undefined) {
      throw new GatewayError('NOT_FOUND', 'There is nothing at /metrics: METRICS_TOKEN is not set');
    }
    const given = bearerOf(c.req.header('Authorization') ?? null);
    if (!(await isSame(given, METRICS_TOKEN))) {
      throw new GatewayError('TOKEN_INVALID', 'Invalid token format');
    }
    const text = (await c.env.METRICS?.()) ?? requestMetrics.text();
    return c.body(text, 200, { 'Content-Type': METRICS_TYPE });
  });
}
