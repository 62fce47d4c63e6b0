/**
 * How many runs have led to a call, told to ourselves by a header of requests over HTTP: runs that start
 * each other by calls of the gateway end as those that do so by events. Spec: workflows.md §5, "Our own events".
 */
import type { Mode } from '../../proto/driver.ts';
import { isJsonObject, type Json } from '../../proto/json.ts';
import { LruMap } from '../../proto/lru-map.ts';
import { parseAsWritten, writtenText } from '../../proto/written-json.ts';
import type { Context } from '../context.ts';
import type { Endpoint } from '../endpoints/access.ts';
import { envelopeOf, openConfig } from '../endpoints/config.ts';
import { profileOf } from '../nodes/choose.ts';
import { publicUrl } from '../public-url.ts';
import { isSame } from '../secrets/compare.ts';
import { keyedDigest } from '../secrets/digest.ts';
import type { Settings } from '../settings.ts';
import type { RequestMessage } from './backend/backend.ts';

/** The header. What our own processes do not have signed counts as if it were not there. */
export const CHAIN_HEADER = 'causeway-chain';
/** Longest number that is looked at. */
const DIGITS_MAX = 4;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Origins of endpoints by their pools: opening a configuration is expensive. */
const origins = new LruMap<string, string>(1_000);

/** The header's value: the number, and what proves that it is ours. */
export async function chainValue(settings: Settings, depth: number): Promise<string> {
  return `${depth}.${await proofOf(settings.INSTALLATION_KEY, depth)}`;
}

/** Runs that led to a request: none where the header is missing or nothing proves it. */
export async function chainOf(settings: Settings, header: string | null): Promise<number> {
  const [, digits = '', proof = ''] = /^(\d+)\.([\da-f]{64})$/.exec(header ?? '') ?? [];
  if (digits === '' || digits.length > DIGITS_MAX) return 0;
  const { INSTALLATION_KEY, INSTALLATION_KEY_PREVIOUS } = settings;
  for (const key of [INSTALLATION_KEY, INSTALLATION_KEY_PREVIOUS]) {
    const expected = key && (await proofOf(key, Number(digits)));
    if (expected && (await isSame(proof, expected))) return Number(digits);
  }
  return 0;
}

function proofOf(key: string, depth: number): Promise<string> {
  return keyedDigest(key, 'chain of runs', encoder.encode(String(depth)));
}

/** The request of a run, with the header where its endpoint is this gateway; any other as it is. */
export async function withChain(
  ctx: Context,
  endpoint: Endpoint,
  mode: Mode,
  message: RequestMessage,
): Promise<RequestMessage> {
  if (ctx.chain === undefined || endpoint.row.kind !== 'http') return message;
  const own = publicUrl(ctx.settings);
  if (own === undefined || (await originOf(ctx, endpoint, mode)) !== new URL(own).origin) {
    return message;
  }
  const value = await chainValue(ctx.settings, ctx.chain);
  const written = message.written && parseAsWritten(decoder.decode(message.written));
  return {
    ...message,
    // As the kind's schema has read it.
    request: { ...message.request, ...headersWith(message.request as unknown as Json, value) },
    written: isJsonObject(written ?? null)
      ? encoder.encode(
          writtenText({ ...(written as object), ...headersWith(written ?? null, value) }),
        )
      : message.written,
  };
}

function headersWith(request: Json, value: string): { headers: { [name: string]: Json } } {
  const headers = isJsonObject(request) ? (request.headers ?? null) : null;
  return { headers: { ...(isJsonObject(headers) ? headers : {}), [CHAIN_HEADER]: value } };
}

async function originOf(ctx: Context, endpoint: Endpoint, mode: Mode): Promise<string> {
  const { uuid, poolRevision } = endpoint.row;
  const profile = profileOf(endpoint);
  const name = `${uuid}:${poolRevision}:${mode}:${profile}`;
  const known = origins.get(name);
  if (known !== undefined) return known;
  const { connection } = envelopeOf(await openConfig(ctx, endpoint), mode, profile);
  const url = isJsonObject(connection) ? connection.url : undefined;
  const origin = typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : '';
  origins.set(name, origin);
  return origin;
}
