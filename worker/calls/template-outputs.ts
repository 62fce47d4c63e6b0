/** Outputs that an isolate keeps for templates that ask for it. Spec: `performanceSettings.caching`. */
import type { Json } from '../../proto/json.ts';
import { LruMap } from '../../proto/lru-map.ts';
import { writtenText } from '../../proto/written-json.ts';
import type { Context } from '../context.ts';
import { JsonBytes } from '../outcome.ts';
import { digestOf } from '../secrets/digest.ts';
import { callerSettings } from './caller-settings.ts';
import type { ReadyTemplate, TemplateCall } from './template.ts';

/** Outputs that an isolate keeps, and their bytes together. Spec silent. */
const KEPT = { most: 10_000, bytes: 16 * 1024 * 1024 };

interface Output {
  readonly bytes: Uint8Array;
  /** Unix epoch milliseconds. */
  readonly madeAt: number;
}

const kept = new LruMap<string, Output>(KEPT.most, {
  most: KEPT.bytes,
  of: ({ bytes }) => bytes.byteLength,
});
const encoder = new TextEncoder();

/**
 * What the same versions made of the same input and parameters in the same organization, if they
 * may be kept and are no older than the template says; else what `make` answers, which is kept
 * then. A template that may write to an endpoint, or looks at `now`, is run each time. Callers of whom
 * databases are told different things share none.
 */
export async function keptOutput(
  ctx: Context,
  ready: Pick<ReadyTemplate, 'compiled' | 'reach' | 'versions' | 'usesNow'>,
  call: TemplateCall,
  make: () => Promise<Json>,
): Promise<Json | JsonBytes> {
  const ttl = ready.compiled.cacheTtlS;
  const isOwn = ttl === undefined || ready.usesNow || call.transaction !== undefined;
  if (isOwn || ready.reach.writes) return make();
  const told = toldOf(ready.reach);
  const made = JSON.stringify([ctx.caller.orgUuid, ready.versions, call.parameters, told]);
  const name = await digestOf(encoder.encode(made + writtenText(call.input)));
  const known = kept.get(name);
  if (known && Math.abs(ctx.now() - known.madeAt) < ttl * 1000) return new JsonBytes(known.bytes);
  const bytes = encoder.encode(writtenText(await make()));
  kept.set(name, { bytes, madeAt: ctx.now() });
  return new JsonBytes(bytes);
}

/** What the endpoints that are reached are told of who calls. @throws GatewayError FORBIDDEN */
function toldOf(reach: ReadyTemplate['reach']) {
  if (reach.endpoints.every(({ callerSettings: asked }) => asked === null)) return [];
  return reach.asks.flatMap(({ kind, id, by }) => {
    if (kind !== 'endpoint') return [];
    const endpoint = reach.endpoint(id, by);
    const settings = callerSettings(reach.contextOf(by), endpoint);
    return settings === undefined ? [] : [[endpoint.row.uuid, settings]];
  });
}
