/** Tries an endpoint's connections now. Spec: "Endpoint management", `/test`. */
import type { Mode } from '../../proto/driver.ts';
import { ERRORS, type ErrorCode, GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import type { Context } from '../context.ts';
import type { Endpoint } from './access.ts';
import { distinct, pingEndpoint } from './connect.ts';
import { warningsShown } from './record.ts';
import { noteConnection } from './store.ts';

/** What was found out; `error` says why there is no connection. */
type TestResult = {
  connected: boolean;
  /** Milliseconds, of the round trip or until the failure. */
  latency_ms: number;
  error?: { error: string; message: string; code: string };
  warnings?: { code: string; message: string }[];
};

/** Failures that answer the question: the backend was tried, and cannot be used. */
const ANSWERS: readonly ErrorCode[] = ['CONNECTION_FAILED', 'TIMED_OUT'];

/**
 * Measures one round trip over the connections for writes and for reads: both must be set, the
 * slower counts. That the backend cannot be reached is a result, not an error.
 * @throws GatewayError when the backend was not tried: NODE_UNAVAILABLE, POOL_EXHAUSTED, DEVELOPMENT_ROUTE_MISSING, ADDRESS_REFUSED
 */
export async function testConnection(ctx: Context, endpoint: Endpoint): Promise<Json> {
  const { row } = endpoint;
  const started = ctx.now();
  const result = await measure(ctx, endpoint).catch((thrown: unknown): TestResult => {
    if (!(thrown instanceof GatewayError) || !ANSWERS.includes(thrown.code)) throw thrown;
    const { code, message } = thrown;
    const latency_ms = Math.round(ctx.now() - started);
    return { connected: false, latency_ms, error: { error: ERRORS[code].error, message, code } };
  });
  const connectionStatus = result.connected ? 'available' : 'unavailable';
  await noteConnection(ctx.db, row.orgUuid, row.uuid, { connectionStatus, at: ctx.now() });
  return result;
}

async function measure(ctx: Context, endpoint: Endpoint): Promise<TestResult> {
  const modes: readonly Mode[] = ['write', 'read'];
  const pinged = await Promise.all(modes.map((mode) => pingEndpoint(ctx, endpoint, mode)));
  const latency_ms = Math.round(Math.max(...pinged.map(({ ms }) => ms)));
  const warnings = distinct(pinged.flatMap((each) => each.warnings));
  return { connected: true, latency_ms, ...warningsShown(warnings) };
}
