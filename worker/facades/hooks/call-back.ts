/** Takes a callback to its run. Spec: workflows.md §5. */
import { badRequest, GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import { lookThrough, parseAsWritten, writtenText } from '../../../proto/written-json.ts';
import type { PublicContext } from '../../context.ts';
import { selectOrganizationNamed } from '../../organizations/store.ts';
import { placeOfToken } from '../../workflows/runs/names.ts';
import { runsObject } from '../../workflows/runs/reachable.ts';

/** Bytes of a callback's body. Spec: workflows.md §3. */
export const BODY_MAX = 256 * 1024;

/** @throws GatewayError NOT_FOUND for one that was used, has ended or is unknown, BAD_REQUEST, PAYLOAD_TOO_LARGE */
export async function callBack(
  ctx: PublicContext,
  org: string,
  token: string,
  bytes: Uint8Array | undefined,
): Promise<Json> {
  const place = placeOfToken(token);
  if (!place) throw unknown();
  const text = checkedBody(bytes);
  // Also of a UUID: an object is made as soon as its name is used.
  const [found] = await selectOrganizationNamed(ctx.db, org);
  if (!found) throw unknown();
  const object = runsObject(ctx.env, found.uuid, place.run);
  if (!(await object.callBack(token, place.run, place.path, text))) throw unknown();
  return { message: 'The run goes on' };
}

/** @throws GatewayError BAD_REQUEST, PAYLOAD_TOO_LARGE */
function checkedBody(bytes: Uint8Array | undefined): string {
  if (bytes === undefined || bytes.byteLength === 0) {
    throw new GatewayError('BAD_REQUEST', 'body: is required: JSON, the output of the wait');
  }
  if (bytes.byteLength > BODY_MAX) {
    throw new GatewayError('PAYLOAD_TOO_LARGE', `The body has more than ${BODY_MAX} bytes`);
  }
  const text = jsonText(bytes);
  // As of any other body.
  const { tooDeep } = lookThrough(text);
  if (tooDeep !== undefined) throw badRequest('body', tooDeep);
  return writtenText(parseAsWritten(text));
}

function jsonText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw new GatewayError('BAD_REQUEST', 'body: is no JSON', { cause });
  }
}

function unknown(): GatewayError {
  return new GatewayError(
    'NOT_FOUND',
    'There is no such callback: it was used, has ended, or never was',
  );
}
